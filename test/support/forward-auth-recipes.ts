import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runsNginx, startNginx } from './nginx.ts';
import { freePort } from './process.ts';
import { canRun } from './programs.ts';
import { startProxy } from './proxy-process.ts';

const document = readFileSync(new URL('../../docs/forward-auth.md', import.meta.url), 'utf8');

/** The first block of code of a language in the document. */
function blockOf(language: string): string {
  const [, text] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(document) ?? [];
  if (text === undefined) throw new Error(`docs/forward-auth.md has no ${language}`);
  return text;
}

/** A text with addresses and paths of the test in place of documented ones, each of which must be there. */
function adapt(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((adapted, [documented, own]) => {
    if (!adapted.includes(documented)) throw new Error(`docs/forward-auth.md does not say ${documented}`);
    return adapted.replaceAll(documented, own);
  }, text);
}

/** Who stands behind a proxy. */
export interface Behind {
  /** The port that Keyward listens on. */
  readonly keyward: number;
  /** The port that the API listens on. */
  readonly api: number;
  /** The path that needs `documents.read`, unless it is `/documents`. */
  readonly guarded?: string;
  /** The only header that carries API keys, as `API_KEY_HEADER` names it; left out: none is named. */
  readonly keyHeader?: string;
}

const forBearersAlone = /^.*Not with API_KEY_HEADER\.\n/gm;

/** A recipe as its page says to change it for a header of one's own. */
function withKeyHeader(text: string, { keyHeader }: Behind): string {
  if (keyHeader === undefined) return text;
  if (!forBearersAlone.test(text)) throw new Error('docs/forward-auth.md marks no line for API_KEY_HEADER');
  return text
    .replaceAll(forBearersAlone, '')
    .replaceAll('x-api-key', keyHeader.toLowerCase())
    .replaceAll('http_x_api_key', `http_${keyHeader.toLowerCase().replaceAll('-', '_')}`)
    .replaceAll('X-API-Key', keyHeader);
}

const ours = ({ keyward, api, guarded = '/documents' }: Behind) => ({
  '127.0.0.1:4000': `127.0.0.1:${keyward}`,
  '127.0.0.1:8080': `127.0.0.1:${api}`,
  '^/documents(': `^${guarded}(`,
});

/** A line of a proxy's access log. */
export interface AccessLine {
  readonly requestId: string;
  readonly status: number;
  /** The account, or an empty text if no key was accepted. */
  readonly user: string;
  /** The API key, or an empty text if no key was accepted. */
  readonly key: string;
}

type Fields = Readonly<Record<string, string>>;

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

const toAccessLine = ({ request_id: requestId = '', status, user = '', key = '' }: Fields): AccessLine => ({
  requestId,
  status: Number(status),
  // HAProxy writes a dash for what is missing.
  user: user.replace(/^-$/, ''),
  key: key.replace(/^-$/, ''),
});

/** Starts nginx, configured as documented. */
async function startDocumentedNginx(folder: string, behind: Behind) {
  const file = join(folder, 'api.log');
  const process = await startNginx(folder, (port) =>
    adapt(withKeyHeader(blockOf('nginx'), behind), {
      ...ours(behind),
      'listen 80;': `listen 127.0.0.1:${port};`,
      '/var/log/nginx/api.log': file,
    }),
  );
  const accessLog = () => readFileSync(file, 'utf8');
  return { ...process, accessLog, accessLines: () => linesOf(accessLog()).map(toAccessLine) };
}

const caddy = '/usr/bin/caddy';

/** Starts Caddy, configured as documented, but without TLS: nobody signs a certificate here. */
async function startDocumentedCaddy(folder: string, behind: Behind) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const file = join(folder, 'Caddyfile');
  const log = join(folder, 'api.log');
  const here = { 'api.example.com': url, '/var/log/caddy/api.log': log };
  const recipe = adapt(withKeyHeader(blockOf('caddyfile'), behind), { ...ours(behind), ...here });
  await writeFile(file, `{\n\tadmin off\n}\n${recipe}`);
  const process = await startProxy(caddy, ['run', '--adapter', 'caddyfile', '--config', file], folder, url);
  const accessLog = () => readFileSync(log, 'utf8');
  const accessLines = () =>
    linesOf(accessLog()).map(({ resp_headers, status, user_id }) => {
      const [user = '', key = ''] = user_id.split('/');
      return toAccessLine({ request_id: resp_headers['X-Request-Id']?.join(), status, user, key });
    });
  return { ...process, accessLog, accessLines };
}

const haproxy = '/usr/sbin/haproxy';

/** Starts HAProxy, configured as documented. */
async function startDocumentedHaproxy(folder: string, behind: Behind) {
  const port = await freePort();
  const script = join(folder, 'keyward.lua');
  const file = join(folder, 'haproxy.cfg');
  // Linux has one such name for all processes.
  const socket = { 'abns@keyward': `abns@keyward-${port}` };
  await writeFile(script, adapt(withKeyHeader(blockOf('lua'), behind), socket));
  const here = { 'bind :80': `bind 127.0.0.1:${port}`, '/etc/haproxy/keyward.lua': script };
  await writeFile(
    file,
    adapt(withKeyHeader(blockOf('haproxy'), behind), { ...ours(behind), ...socket, ...here }),
  );
  const process = await startProxy(haproxy, ['-db', '-f', file], folder, `http://127.0.0.1:${port}`);
  const accessLog = process.output;
  return { ...process, accessLog, accessLines: () => linesOf(accessLog()).map(toAccessLine) };
}

/** A proxy that Debian has, and what it answers where Keyward fails. */
export interface DocumentedProxy {
  readonly name: string;
  readonly isRun: boolean;
  readonly start: (
    folder: string,
    behind: Behind,
  ) => Promise<
    Omit<Awaited<ReturnType<typeof startProxy>>, 'output'> & {
      /** The text of the access log. */
      readonly accessLog: () => string;
      /** The lines of the access log. */
      readonly accessLines: () => AccessLine[];
    }
  >;
  /** Its status where nobody listens on Keyward's port. */
  readonly down: number;
  /** Its status where Keyward takes the request and does not answer. */
  readonly hanging: number;
  /** The most bytes, without further settings, of a line of a request's head, and of all of them together. */
  readonly most: { readonly line: number; readonly all: number };
}

export const documentedNginx: DocumentedProxy = {
  name: 'nginx',
  isRun: runsNginx,
  start: startDocumentedNginx,
  down: 503,
  hanging: 503,
  most: { line: 7_500, all: 29_000 },
};

export const documentedCaddy: DocumentedProxy = {
  name: 'Caddy',
  isRun: canRun('caddy', 'its recipe is not tried', ['version'], caddy),
  start: startDocumentedCaddy,
  down: 502,
  hanging: 504,
  most: { line: 60_000, all: 60_000 },
};

export const documentedHaproxy: DocumentedProxy = {
  name: 'HAProxy',
  isRun: canRun('haproxy', 'its recipe is not tried', ['-v'], haproxy),
  start: startDocumentedHaproxy,
  down: 503,
  hanging: 504,
  most: { line: 14_000, all: 14_000 },
};
