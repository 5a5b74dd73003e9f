import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './process.ts';
import { canRun } from './programs.ts';
import { startProxy } from './proxy-process.ts';

const program = '/usr/sbin/apache2';
const modules = '/usr/lib/apache2/modules';

/** Whether the tests of Apache with mod_auth_openidc are run. */
export const runsApache = canRun(
  'apache2',
  'its setting for introspection is not tried',
  ['-f', `${modules}/mod_auth_openidc.so`],
  '/usr/bin/test',
);

/**
 * Starts Apache with a page at each path, and a configuration.
 * @param folder where it keeps its files
 * @param paths the paths of its pages
 * @param configuration its own lines
 */
export async function startApache(folder: string, paths: readonly string[], configuration: string) {
  const port = await freePort();
  const place = join(folder, 'apache');
  for (const path of paths) {
    await mkdir(join(place, 'www', path), { recursive: true });
    await writeFile(join(place, 'www', path, 'page.txt'), `page of ${path}`);
  }
  // As root, it serves pages as somebody else.
  await chmod(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const names = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc'];
  const file = join(place, 'apache.conf');
  await writeFile(
    file,
    `ServerRoot ${place}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${place}/pid
DefaultRuntimeDir ${place}
ErrorLog ${place}/error.log
${names.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
${isRoot ? 'User www-data\nGroup www-data' : ''}
DocumentRoot ${place}/www
${configuration}
`,
  );
  return startProxy(program, ['-f', file, '-X'], place, `http://127.0.0.1:${port}`);
}
