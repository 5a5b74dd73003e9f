import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentServerSecret } from '../../src/secrets/server-secret.ts';
import { copyInto, installNodePackage } from '../support/node-package.ts';
import { createTemporaryFolder, freePort, root, runShell, startProcess } from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { startProxy } from '../support/proxy-process.ts';
import { pythonPackage } from '../support/python-package.ts';

type Folder = Awaited<ReturnType<typeof createTemporaryFolder>>;
type Service = Awaited<ReturnType<typeof startProcess>>;

const stack = new AsyncDisposableStack();
let folder: Folder;
let service: Service;

beforeAll(async () => {
  folder = stack.use(await createTemporaryFolder());
  service = stack.use(await startProcess(folder.path));
}, 30_000);
afterAll(() => stack.disposeAsync());

const manage = async (method: string, path: string, body?: object) => {
  const headers = {
    authorization: `Bearer ${await service.token('alice')}`,
    'content-type': 'application/json',
  };
  const sent = body ? { body: JSON.stringify(body) } : {};
  const answer = await fetch(`${service.url}/api/v1/auth/keys${path}`, { method, headers, ...sent });
  return (await answer.json()) as { id: number; key: string };
};

const createKey = async (parts: object = {}) => (await manage('POST', '', parts)).key;

const createInactive = async () => {
  const { id, key } = await manage('POST', '', {});
  await manage('DELETE', `/${id}`);
  return key;
};

/** The reasons that the packages tell a client, where these are not Keyward's own: they do not say which keys exist. */
const published: Readonly<Record<string, string>> = {
  not_found: 'invalid_api_key',
  inactive: 'invalid_api_key',
};

/** What a client with a key is answered, by where it asks. */
const cases: readonly (readonly [
  what: string,
  key: () => Promise<string>,
  answers: Readonly<Record<string, readonly [status: number, said: number | string]>>,
])[] = [
  ['a key', createKey, { '/': [200, 1], '/documents': [403, 'insufficient_permissions'] }],
  [
    'a key with the permission',
    () => createKey({ permissions: ['documents.*'] }),
    { '/documents': [200, 1] },
  ],
  ['no key', async () => '', { '/': [401, 'not_found'] }],
  ['a text that is no key', async () => 'x'.repeat(2000), { '/': [401, 'not_found'] }],
  ['a key that has ended', createInactive, { '/': [401, 'inactive'] }],
  [
    'a key for another address',
    () => createKey({ allowed_addresses: ['192.0.2.0/24'] }),
    { '/': [403, 'address_not_allowed'] },
  ],
  ['a key for this address', () => createKey({ allowed_addresses: ['127.0.0.1'] }), { '/': [200, 1] }],
  [
    'a key without units',
    () => createKey({ quota: { limit: 0, refill: 'never' } }),
    { '/': [429, 'quota_exceeded'] },
  ],
];

describe.each<[string, string, (folder: string) => Promise<readonly string[]>, boolean]>([
  [
    'TypeScript',
    process.execPath,
    async (path) => {
      await installNodePackage(path, []);
      await copyInto(path, 'examples/typescript', ['verify-keys.ts']);
      return [join(path, 'verify-keys.ts')];
    },
    true,
  ],
  [
    'Python',
    'python3',
    async () => [join(root, 'examples/verify-keys.py')],
    canRun('python3', 'its server that verifies keys is not run'),
  ],
  [
    'Go',
    'sh',
    async (path) => {
      // `go run` would leave the server behind.
      const program = join(path, 'verify-keys');
      const built = await runShell(`go build -o ${program} examples/verify-keys.go`, { timeout: 60_000 });
      expect(built).toMatchObject({ code: 0, stderr: '' });
      return ['-c', `exec ${program}`];
    },
    canRun('go', 'its server that verifies keys is not run', ['version']),
  ],
])('the server in %s', (_language, program, argumentsIn, isHere) => {
  const running = new AsyncDisposableStack();
  let url: string;

  beforeAll(async () => {
    if (!isHere) return;
    const port = await freePort();
    const env = {
      ...process.env,
      ...pythonPackage,
      KEYWARD_URL: service.url,
      KEYWARD_SERVER_SECRET: developmentServerSecret,
      PORT: `${port}`,
    };
    const args = await argumentsIn(folder.path);
    const started = await startProxy(program, args, folder.path, `http://127.0.0.1:${port}`, env);
    ({ url } = running.use(started));
  }, 70_000);
  afterAll(() => running.disposeAsync());

  const ask = async (key: string, path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const { user_id, reason } = (await answer.json()) as { user_id?: number; reason?: string };
    return { status: answer.status, said: user_id ?? reason };
  };

  it.runIf(isHere).each(cases)('answers a client with %s', async (_what, createFor, answers) => {
    const key = await createFor();
    for (const [path, [status, said]] of Object.entries(answers)) {
      const answer = await ask(key, path);
      expect(answer.status).toBe(status);
      expect([said, published[said]]).toContain(answer.said);
    }
  });

  it.runIf(isHere)('answers a client without a key', async () => {
    expect((await fetch(url)).status).toBe(401);
  });

  it.runIf(isHere)('lets nobody through while Keyward does not answer', async () => {
    const key = await createKey();
    service.signal('SIGSTOP');
    try {
      expect(await ask(key, '/')).toMatchObject({ status: 503 });
    } finally {
      service.signal('SIGCONT');
    }
    await expect.poll(() => ask(key, '/'), { timeout: 10_000 }).toEqual({ status: 200, said: 1 });
  });
});
