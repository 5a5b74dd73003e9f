import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './process.ts';
import { canRun } from './programs.ts';
import { startProxy } from './proxy-process.ts';

const program = '/usr/sbin/nginx';

/** Whether the tests of nginx are run. */
export const runsNginx = canRun('nginx', 'its recipes are not tried', ['-v'], program);

/** What nginx would keep in the system's folders. */
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/**
 * Starts nginx with a configuration of its `http` block, in which header names of any kind are let in.
 * @param folder where it keeps its files
 * @param configure makes the configuration for the port that it shall listen on
 */
export async function startNginx(folder: string, configure: (port: number) => string) {
  const port = await freePort();
  const prefix = join(folder, 'nginx');
  await mkdir(prefix);
  const paths = temporary.map((name) => `${name}_temp_path ${prefix}/${name};`).join('\n');
  const file = join(prefix, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${prefix}/pid; error_log stderr;
events {}
http { access_log off; underscores_in_headers on; ignore_invalid_headers off; ${paths}
${configure(port)} }`,
  );
  return await startProxy(
    program,
    ['-c', file, '-p', prefix, '-e', 'stderr'],
    prefix,
    `http://127.0.0.1:${port}`,
  );
}
