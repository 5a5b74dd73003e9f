import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './process.ts';

const program = '/usr/sbin/nginx';

/** Whether the tests of nginx are run: always in CI, elsewhere where it is installed. */
export const runsNginx = process.env['CI'] !== undefined || existsSync(program);

/** What nginx would keep in the system's folders. */
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/**
 * Starts nginx with a configuration of its `http` block, as the user that the test runs as.
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
http { access_log off; ${paths}
${configure(port)} }`,
  );
  const child = spawn(program, ['-c', file, '-p', prefix, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isAnswered(url))) {
    if (child.exitCode !== null) throw new Error(`nginx does not start: ${errors}`);
    await delay(20);
  }
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const isAnswered = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );
