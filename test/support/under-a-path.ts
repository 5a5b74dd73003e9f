import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runsNginx, startNginx } from './nginx.ts';
import { freePort } from './process.ts';
import { canRun } from './programs.ts';
import { startProxy } from './proxy-process.ts';

const document = readFileSync(new URL('../../docs/edge.md', import.meta.url), 'utf8');

/** What a proxy does with the path of `PUBLIC_URL`. */
export const handlings = ['handed on', 'taken away'] as const;

/** See {@link handlings}. */
export type Handling = (typeof handlings)[number];

/** Says what to write in place of the next line, or before it. */
const comment = /^(\s*)# To take the path away: (.*)\n(?:\s*proxy_pass .*\n)?/m;

/**
 * The documented recipe of a proxy.
 * @param path the path of `PUBLIC_URL`
 * @param port that of Keyward
 */
function recipeOf(language: string, handling: Handling, path: string, port: number): string {
  const [, text = ''] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(document) ?? [];
  if (!comment.test(text)) throw new Error(`docs/edge.md does not say how ${language} takes the path away`);
  return (handling === 'taken away' ? text.replace(comment, '$1$2\n') : text)
    .replaceAll('/keyward', path)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`);
}

/** Starts a documented proxy in a folder, for the path of `PUBLIC_URL` and the port of Keyward. */
type Start = (folder: string, path: string, port: number) => ReturnType<typeof startProxy>;

/** Starts nginx, configured as documented. */
export const startPathNginx =
  (handling: Handling): Start =>
  (folder, path, port) =>
    startNginx(
      folder,
      (own) => `server { listen 127.0.0.1:${own};\n${recipeOf('nginx', handling, path, port)}}`,
    );

const caddy = '/usr/bin/caddy';

/** Starts Caddy, configured as documented, but without TLS: nobody signs a certificate here. */
const startPathCaddy =
  (handling: Handling): Start =>
  async (folder, path, port) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const file = join(folder, 'Caddyfile');
    const recipe = recipeOf('caddyfile', handling, path, port);
    await writeFile(file, `{\n\tadmin off\n}\n${url} {\n${recipe}}\n`);
    return startProxy(caddy, ['run', '--adapter', 'caddyfile', '--config', file], folder, url);
  };

const runsCaddy = canRun('caddy', 'its recipes are not tried', ['version'], caddy);

/** The documented proxies in front of a path. */
export const pathProxies = handlings.flatMap((handling) => [
  { name: 'nginx', handling, isRun: runsNginx, start: startPathNginx(handling) },
  { name: 'Caddy', handling, isRun: runsCaddy, start: startPathCaddy(handling) },
]);
