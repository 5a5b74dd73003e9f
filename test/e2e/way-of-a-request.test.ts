import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { createTemporaryFolder, root, type ServiceProcess, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

const source = `${pathToFileURL(join(root, 'src')).href}/`;

/** What V8 says of the functions of a file, with how often each ran (the inspector's `Profiler.ScriptCoverage`). */
interface Coverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** Calls a process's inspector. */
class Inspector {
  readonly #socket: WebSocket;
  readonly #answered = new Map<number, (result: unknown) => void>();
  #calls = 0;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(data);
      this.#answered.get(id)?.(result);
    });
  }

  readonly opened = () =>
    new Promise((resolve) => this.#socket.addEventListener('open', resolve, { once: true }));

  call(method: string, params = {}): Promise<unknown> {
    this.#calls += 1;
    const id = this.#calls;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#answered.set(id, resolve));
  }

  close(): void {
    this.#socket.close();
  }
}

let issuer: TestIssuer;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;
let inspector: Inspector;
beforeAll(async () => {
  issuer = await startIssuer();
  folder = await createTemporaryFolder();
  const env = {
    NODE_ENV: 'production',
    ...secretVariables(),
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
  };
  // From the source: what is built stands in few files.
  const command = [process.execPath, '--inspect=127.0.0.1:0', join(root, 'src/commands/serve.ts')];
  service = await startProcess(folder.path, env, 30_000, command);
  inspector = new Inspector(/ws:\S+/.exec(service.output.stderr)?.[0] ?? '');
  await inspector.opened();
  await inspector.call('Profiler.enable');
}, 60_000);
afterAll(async () => {
  inspector?.close();
  await service?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});

/** The files of the source in which something ran. */
async function filesThatRan(): Promise<string[]> {
  const { result } = (await inspector.call('Profiler.takePreciseCoverage')) as { result: Coverage[] };
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .filter(({ url }) => url.startsWith(source))
    .map(({ url }) => url.slice(source.length));
}

// Whoever reads how a request is answered meets these. A file more must be worth it.
it.each([
  ['PUT', '/api/v1/automation/settings', { is_enabled: true }, 34],
  ['GET', '/api/v1/auth/private-key', undefined, 23],
  ['POST', '/graphql', { query: '{ privateKeyStatus { hasKey } }' }, 23],
])('a warm %s %s goes through few files', async (method, path, json, most) => {
  const authorization = `Bearer ${await issuer.sign()}`;
  let calls = 0;
  const call = async () => {
    calls += 1;
    const headers = { authorization, 'content-type': 'application/json' };
    // Each PUT changes something: one that changes nothing writes nothing.
    const body = json ? JSON.stringify('is_enabled' in json ? { is_enabled: calls % 2 === 0 } : json) : null;
    const response = await fetch(service.url + path, { method, headers, body });
    expect([response.status, await response.json()]).toEqual([200, expect.any(Object)]);
  };
  for (let times = 0; times < 3; times += 1) await call();
  // What looks after files and memory runs in between: what ran in each of the tries is the request's own.
  let own: string[] | undefined;
  for (let count = 0; count < 5; count += 1) {
    await inspector.call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await call();
    // The answer is there before the last of it is logged.
    await delay(20);
    const ran = await filesThatRan();
    own = own?.filter((file) => ran.includes(file)) ?? ran;
    await inspector.call('Profiler.stopPreciseCoverage');
  }
  process.stdout.write(`${method} ${path}: ${own?.length} files\n`);
  expect(own, own?.join('\n')).toContain('http/exchange.ts');
  expect(own?.length, own?.join('\n')).toBeLessThanOrEqual(most);
});
