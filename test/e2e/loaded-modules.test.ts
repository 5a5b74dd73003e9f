import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { createTemporaryFolder, root, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

/** Writes at the end of a process which modules it has loaded: to a file, since a pipe may take a part of it. */
const listing = `
  import { writeFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({ load: (url, context, next) => { loaded.add(url); return next(url, context); } });
  process.on('exit', () => writeFileSync(process.env.LISTING, JSON.stringify([...loaded])));`;

const built = pathToFileURL(join(root, 'dist/server/')).href;

let issuer: TestIssuer;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  issuer = await startIssuer();
  folder = await createTemporaryFolder();
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

/** The modules that a file of the service was built from: each stands below a comment with its path. */
const modulesOf = (url: string): string[] =>
  url.startsWith(built)
    ? (readFileSync(new URL(url), 'utf8').match(/(?<=^\/\/ )(src|node_modules)\/\S+$/gm) ?? [])
    : [url];

/** The files that a start in production loads, until it is stopped again. */
async function loadedFiles(): Promise<string[]> {
  const file = join(folder.path, 'loaded.json');
  await using service = await startProcess(
    folder.path,
    {
      NODE_ENV: 'production',
      ...secretVariables(),
      AUTH_ISSUER: issuer.config.issuer,
      AUTH_AUDIENCE: 'keyward',
      LISTING: file,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(listing)}`,
    },
    25_000,
  );
  service.signal('SIGTERM');
  await service.ended;
  const urls = JSON.parse(await readFile(file, 'utf8')) as string[];
  return urls.filter((url) => url.startsWith('file:'));
}

const migrations = /@mikro-orm\/migrations\/|\/migrations\/sqlite\//;

it('a start in production loads only what it uses', { timeout: 60_000 }, async () => {
  const first = (await loadedFiles()).flatMap(modulesOf);
  expect(first.some((path) => migrations.test(path))).toBe(true);
  const files = await loadedFiles();
  // Each file more is time until it is ready.
  expect(files.length).toBeLessThan(60);
  const second = files.flatMap(modulesOf);
  expect(second.some((path) => path.includes('@mikro-orm/sqlite/'))).toBe(true);
  const unused =
    /oidc-provider|@opentelemetry|@prometheus-io|@mikro-orm\/postgresql|node_modules\/pg\/|pino-pretty|src\/(dev|workers)/;
  expect(second.filter((path) => unused.test(path) || migrations.test(path))).toEqual([]);
  const copies = (module: string) => second.filter((path) => path.endsWith(`/${module}`));
  // One for all, and one of the engine's own.
  expect(copies('@graphql-tools/utils/esm/memoize.js')).toHaveLength(2);
  expect(copies('@whatwg-node/server/esm/createServerAdapter.js')).toHaveLength(1);
});
