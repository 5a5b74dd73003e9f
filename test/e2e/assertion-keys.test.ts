import { createPrivateKey, createPublicKey } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAssertionKey, writeAssertionKey } from '../../src/secrets/assertion-keys.ts';
import { createOnServer } from '../support/database.ts';
import { startIssuer } from '../support/issuer.ts';
import { startOwnPostgres } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  freePort,
  runScript,
  runService,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

const publicUrl = 'https://keys.example.com';
const audience = 'https://api.example.com';
const [old, next] = ['old', 'next'].map((kid) => writeAssertionKey(createAssertionKey(kid))) as [
  string,
  string,
];

/** How long the verifier keeps the keys, in milliseconds. The document says an hour; the steps are the same. */
const kept = 1500;

const stack = new AsyncDisposableStack();
let folder: string;
let env: Record<string, string>;
let authorization: string;
beforeAll(async () => {
  folder = stack.use(await createTemporaryFolder()).path;
  const postgres = stack.use(await startOwnPostgres());
  const issuer = stack.use(await startIssuer());
  authorization = `Bearer ${await issuer.sign()}`;
  env = {
    ...secretVariables(),
    DATABASE_URL: await createOnServer(postgres.url),
    DATABASE_MIGRATE: 'auto',
    NODE_ENV: 'production',
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    PUBLIC_URL: publicUrl,
    ASSERTION_AUDIENCE: audience,
  };
}, 60_000);
afterAll(() => stack.disposeAsync());

/** Two nodes; one after the other can be started anew with other keys. */
async function startNodes(keys: string) {
  const start = async (list: string, port: number) =>
    stack.use(await startProcess(folder, { ...env, ASSERTION_KEYS: list, PORT: `${port}` }));
  const ports = [await freePort(), await freePort()];
  const nodes: (ServiceProcess | undefined)[] = [];
  for (const port of ports) nodes.push(await start(keys, port));
  /** A node that runs. */
  const any = (at: number) => nodes[at % 2] ?? (nodes[(at + 1) % 2] as ServiceProcess);
  return {
    /** Asks a node; and another, as proxies do, if the first closes the connection because it stops. */
    ask: (at: number, path: string, init?: RequestInit) =>
      fetch(any(at).url + path, init).catch(() => fetch(any(at + 1).url + path, init)),
    restartWith: async (list: string) => {
      for (const [at, port] of ports.entries()) {
        const before = nodes[at];
        nodes[at] = undefined;
        // It still answers what it was asked before.
        before?.signal('SIGTERM');
        await before?.ended;
        nodes[at] = await start(list, port);
      }
    },
  };
}

it('a signing key is replaced by the documented steps → no verifier refuses an assertion', async () => {
  const nodes = await startNodes(old);
  const created = await nodes.ask(0, '/api/v1/auth/keys', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{}',
  });
  const { key } = (await created.json()) as { key: string };
  let reads = 0;
  const keySet = createRemoteJWKSet(new URL('http://keyward.invalid/.well-known/jwks.json'), {
    cacheMaxAge: kept,
    // It never reads the keys again because of one that it does not know.
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: (_url, init) => {
      reads += 1;
      return nodes.ask(reads, '/.well-known/jwks.json', init);
    },
  });

  const seen = new Map<string, number>();
  const refused: unknown[] = [];
  const ended = new AbortController();
  const ask = async (at: number) => {
    const response = await nodes.ask(at, '/api/v1/keys/authorize', { headers: { 'x-api-key': key } });
    const token = response.headers.get('x-keyward-assertion') ?? '';
    const { kid = '' } = decodeProtectedHeader(token);
    seen.set(kid, (seen.get(kid) ?? 0) + 1);
    await jwtVerify(token, keySet, { issuer: publicUrl, audience, typ: 'at+jwt' });
  };
  const load = (async () => {
    for (let at = 0; !ended.signal.aborted; at += 1) {
      await ask(at).catch((error: unknown) => refused.push(error));
      await delay(5);
    }
  })();

  const untilSeen = async (kid: string) => {
    const before = seen.get(kid) ?? 0;
    await expect.poll(() => seen.get(kid) ?? 0, { timeout: 10_000 }).toBeGreaterThan(before + 20);
  };
  await untilSeen('old');
  await nodes.restartWith(`${old},${next}`);
  expect(seen.get('next')).toBeUndefined();
  await delay(2 * kept);
  await nodes.restartWith(`${next},${old}`);
  await untilSeen('next');
  await delay(2 * kept);
  await nodes.restartWith(next);
  await untilSeen('next');
  ended.abort();
  await load;
  expect(refused).toEqual([]);
  expect(reads).toBeGreaterThan(3);
}, 90_000);

describe('npm run assertion-key', () => {
  const run = (...args: string[]) => runScript('dist/server/assertion-key.js', args, { cwd: folder });

  it.each<[string[], RegExp]>([
    [[], /^[\w-]{8}:[\w+/]+=*\n$/],
    [['--kid', '2026-11', '--algorithm', 'EdDSA'], /^2026-11:[\w+/]+=*\n$/],
  ])('%j prints an entry that the service takes', async (args, entry) => {
    const [made, another] = [await run(...args), await run(...args)];
    expect(made).toEqual({ code: 0, stdout: expect.stringMatching(entry), stderr: '' });
    expect(another.stdout).not.toBe(made.stdout);
    const config = { ...env, ASSERTION_KEYS: made.stdout.trim() };
    const checked = await runService(folder, config, ['--check-config']);
    const [kid, key = ''] = made.stdout.trim().split(':');
    expect(checked.stdout).toContain(
      `Assertions: signed with the key ${kid} (${args.includes('EdDSA') ? 'EdDSA' : 'ES256'}), for ${audience}, for at most 60 seconds.`,
    );
    expect(checked.stdout).not.toContain(key);
  });

  it('prints the public key as well, if asked', async () => {
    const { stdout } = await run('--kid', 'a', '--public');
    const [entry = '', ...pem] = stdout.split('\n');
    const [, key = ''] = entry.split(':');
    const own = createPublicKey(
      createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' }),
    );
    expect(createPublicKey(pem.join('\n')).equals(own)).toBe(true);
  });

  it.each([
    ['--kid', 'a b'],
    ['--kid', ''],
    ['--kid', 'k'.repeat(65)],
    ['--algorithm', 'RS256'],
    ['--algorithm', 'es256'],
    ['--unknown', 'x'],
  ])('%s %j is refused with the usage', async (...args) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: npm run --silent assertion-key');
  });
});
