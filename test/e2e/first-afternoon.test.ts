import { readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documents } from '../support/documents.ts';
import { startIssuer } from '../support/issuer.ts';
import { runsNginx, startNginx } from '../support/nginx.ts';
import { startOwnPostgres } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  freePort,
  root,
  runCommand,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { startProxy } from '../support/proxy-process.ts';
import { toPattern } from '../support/template.ts';

const page = 'docs/first-afternoon.md';

const blocks = documents.find(({ path }) => path === page)?.blocks ?? [];

/** The blocks that this file does not run, by their beginning, and why. */
const notRun = [
  ['npm ci && npm start', 'the test starts the service itself'],
  ['PORT=8080', 'the test starts the example itself'],
  ['sudo cp', 'the test starts nginx with this file'],
  ['PORT=4001', 'the test starts the second node itself'],
  ['pg_dump', "PostgreSQL's own command, which its package for the tests does not have"],
  ['pg_restore', "PostgreSQL's own command, which its package for the tests does not have"],
  ['npm ci\n', 'it would change the project; `npm run db:migrate` is run in step 3'],
] as const;

/** The blocks that were run or compared. */
const used = new Set<string>();

/** The block that begins with a text, and the block after it if that shows what the block prints. */
function blockOf(beginning: string) {
  const at = blocks.findIndex(({ text }) => text.startsWith(beginning));
  const { text } = blocks[at] ?? { text: undefined };
  if (text === undefined) throw new Error(`${page} has no block that begins with ${beginning}`);
  used.add(text);
  const next = blocks[at + 1];
  const prints = next?.language === 'text' ? next.text : undefined;
  if (prints !== undefined) used.add(prints);
  return { text, prints };
}

/** Compares a printed text with lines in a document; a line of `…` stands for any lines. */
function expectPrinted(printed: string, documented: string): void {
  const lines = printed.trimEnd().split(/\r?\n/);
  let at = 0;
  for (const line of documented.trimEnd().split('\n')) {
    if (line === '…') continue;
    const found = lines.findIndex((each, index) => index >= at && toPattern(line).test(each));
    expect([line, found], printed).toEqual([line, expect.toSatisfy((index: number) => index >= 0)]);
    at = found + 1;
  }
}

const canRunAll = canRun('curl', `the commands of ${page} are not run`) && runsNginx;

describe.skipIf(!canRunAll)(page, () => {
  const stack = new AsyncDisposableStack();
  let folder: string;
  let env: Record<string, string>;
  let replacements: Record<string, string>;
  let metricsPort: number;
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  /** The nodes that run. */
  const nodes = new Map<string, ServiceProcess>();
  let ports: { first: number; second: number; api: number };
  let nginx: Awaited<ReturnType<typeof startNginx>> | undefined;

  beforeAll(async () => {
    folder = stack.use(await createTemporaryFolder()).path;
    issuer = stack.use(await startIssuer());
    const postgres = stack.use(await startOwnPostgres());
    ports = { first: await freePort(), second: await freePort(), api: await freePort() };
    metricsPort = await freePort();
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const shim = join(root, 'test/support/npm-shim.mjs');
    await writeFile(join(bin, 'npm'), `#!/bin/sh\nexec '${process.execPath}' '${shim}' "$@"\n`);
    await chmod(join(bin, 'npm'), 0o755);
    env = { PORT: `${ports.first}`, PATH: `${bin}:${process.env['PATH']}` };
    replacements = {
      'http://127.0.0.1:4000': `http://127.0.0.1:${ports.first}`,
      '127.0.0.1:9464': `127.0.0.1:${metricsPort}`,
      'https://id.example.com/realms/main': issuer.config.issuer,
      'postgres://keyward:secret@db.example.com/keyward?sslmode=verify-full': postgres.url,
    };
    const url = `http://127.0.0.1:${ports.api}`;
    const api = join(root, 'examples/typescript/behind-proxy.ts');
    stack.use(await startProxy(process.execPath, [api], folder, url, { PORT: `${ports.api}` }));
  }, 60_000);
  afterAll(async () => {
    await nginx?.[Symbol.asyncDispose]();
    for (const node of nodes.values()) await node[Symbol.asyncDispose]();
    await stack.disposeAsync();
  });

  const here = (text: string) =>
    Object.entries({ ...replacements, 'http://localhost/': `${nginx?.url}/` }).reduce(
      (adapted, [documented, own]) => adapted.replaceAll(documented, own),
      text,
    );

  /** Runs blocks in one shell, and compares what they print with what the page says. */
  const run = async (...beginnings: string[]) => {
    const found = beginnings.map(blockOf);
    const script = found.map(({ text }) => here(text)).join('');
    const ended = await runCommand(['sh', '-euc', script], { cwd: folder, env });
    expect({ ...ended, script }).toMatchObject({ code: 0 });
    const prints = found.at(-1)?.prints;
    if (prints !== undefined) expectPrinted(ended.stdout, here(prints));
    return ended.stdout;
  };

  const startNode = async (name: 'first' | 'second', more: Record<string, string> = {}) => {
    const command = blockOf(name === 'first' ? 'npm start -- --check-config' : 'PORT=4001').text;
    expect(command).toContain('npm start\n');
    nodes.set(name, await startProcess(folder, { PORT: `${ports[name]}`, ...more }));
  };

  const stopNode = async (name: 'first' | 'second') => {
    const node = nodes.get(name);
    node?.signal('SIGTERM');
    expect(await node?.ended).toMatchObject({ code: 0 });
    nodes.delete(name);
  };

  /** Waits until nginx asks a node that it has failed to reach. */
  const untilAsked = async (name: 'first' | 'second') => {
    const requests = () => nodes.get(name)?.output.stdout.split('"msg":"request"').length ?? 0;
    const before = requests();
    while (requests() === before) {
      await documentStatus('acme_live_wrong');
      await delay(50);
    }
  };

  const restartNodes = async () => {
    for (const name of ['first', 'second'] as const) {
      await stopNode(name);
      await startNode(name);
      await untilAsked(name);
    }
  };

  /** Starts nginx with the documented file, in place of one that runs. */
  const startProxyOfApi = async (moreServers = '') => {
    await nginx?.[Symbol.asyncDispose]();
    const own = stack.use(await createTemporaryFolder());
    const file = readFileSync(join(root, 'deploy/nginx-api.conf'), 'utf8');
    const asked = 'server 127.0.0.1:4000 fail_timeout=1s;';
    expect(file).toContain(asked);
    nginx = await startNginx(own.path, (port) =>
      file
        .replace(asked, `${asked}${moreServers}`)
        .replaceAll('127.0.0.1:4000', `127.0.0.1:${ports.first}`)
        .replaceAll('127.0.0.1:4001', `127.0.0.1:${ports.second}`)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.api}`)
        .replace('listen 80;', `listen 127.0.0.1:${port};`)
        .replace('/var/log/nginx/api.log', join(own.path, 'api.log')),
    );
  };

  const documentStatus = async (key: string, method = 'GET') => {
    const answer = await fetch(`${nginx?.url}/documents`, { method, headers: { 'x-api-key': key } });
    return answer.status;
  };

  it('1 and 2: a key with the read permission, for an API behind nginx', async () => {
    nodes.set('first', await startProcess(folder, { PORT: `${ports.first}` }));
    await startProxyOfApi();
    await run('ALICE=', 'curl -s http://localhost/documents -H "X-API-Key: $KEY"');
    await stopNode('first');
  }, 60_000);

  it('3: production with PostgreSQL, an issuer and secrets in files', async () => {
    await run('mkdir -p -m 700 secrets');
    await run('npm run --silent credential');
    await run('cat > .env');
    const { text } = blockOf('npm start -- --check-config');
    const [check = '', migrate = ''] = text.split('\n');
    for (const command of [check, migrate]) {
      const ended = await runCommand(['sh', '-euc', command], { cwd: folder, env });
      expect({ ...ended, command }).toMatchObject({ code: 0 });
    }
    await startNode('first', { METRICS_PORT: `${metricsPort}` });
    await run('. ./secrets/checkout.env');
  }, 60_000);

  it('4: a second node', async () => {
    await startNode('second');
    await startProxyOfApi(blockOf('  server 127.0.0.1:4001').text);
  }, 60_000);

  it('5 and 6: an imported key, and where it can be seen', async () => {
    await run('cat > keys.jsonl');
    expect(await documentStatus('acme_live_5f0c2b7e9d4a4c1b', 'POST')).toBe(403);
    const log = () => [...nodes.values()].map(({ output }) => output.stdout).join('');
    const refusal = /^.*"reason":"api-key-insufficient-permissions".*$/m;
    await expect.poll(log).toMatch(refusal);
    const line = refusal.exec(log())?.[0] ?? '{}';
    const documented = JSON.parse(blockOf('{"level":30').text);
    expect(Object.keys(JSON.parse(line))).toEqual(Object.keys(documented));
    const varying = ['time', 'requestId', 'milliseconds'];
    for (const name of Object.keys(documented).filter((each) => !varying.includes(each)))
      expect(JSON.parse(line)).toHaveProperty(name, documented[name]);
    expect(await run("curl -s -w '\\n' http://127.0.0.1:4000/health")).toContain(
      'keyward_http_requests_total',
    );
  }, 60_000);

  it('4: a node stops, and everybody keeps access', async () => {
    for (const name of ['first', 'second'] as const) {
      await stopNode(name);
      // nginx asks the nodes in turn: one of these meets the one that is stopped.
      for (let asked = 0; asked < 3; asked += 1) {
        expect(await documentStatus('acme_live_5f0c2b7e9d4a4c1b')).toBe(200);
        expect(await documentStatus('acme_live_wrong')).toBe(401);
        expect(await documentStatus('acme_live_5f0c2b7e9d4a4c1b', 'POST')).toBe(403);
      }
      await startNode(name, name === 'first' ? { METRICS_PORT: `${metricsPort}` } : {});
      await untilAsked(name);
    }
  }, 60_000);

  it('7: whoever holds a leaked key can deactivate it, on all nodes', async () => {
    await run('curl -s -X DELETE');
    for (let asked = 0; asked < 4; asked += 1)
      expect(await documentStatus('acme_live_5f0c2b7e9d4a4c1b')).toBe(401);
    await run('echo 1 > leaked');
  }, 60_000);

  it('8: a pepper is rotated while keys work', async () => {
    const call = async (path: string, body: object) => {
      const answer = await fetch(`${nodes.get('first')?.url}/api/v1/auth/keys${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await issuer.sign({ sub: 'alice' })}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      expect(answer.ok).toBe(true);
      return (await answer.json()) as { id: number; key: string };
    };
    const { id, key } = await call('', { permissions: ['documents.read'] });
    const versions = async () =>
      (await readFile(join(folder, 'secrets/key-peppers'), 'utf8')).match(/\d+(?=:)/g);
    await run('echo "$(cat secrets/key-peppers)');
    expect(await versions()).toEqual(['1', '2']);
    await restartNodes();
    await run("sed -i -E 's/^(1:");
    expect(await versions()).toEqual(['2', '1']);
    await restartNodes();
    expect(await documentStatus(key)).toBe(200);
    expect(await run('npm run --silent keys:rewrap')).toContain(
      `until these keys are rotated or deactivated: ${id}`,
    );
    const rotated = await call(`/${id}/rotate`, {});
    const { text } = blockOf('npm run --silent keys:rewrap');
    const { stdout } = await runCommand(['sh', '-euc', text], { cwd: folder, env });
    expect(stdout).toContain('digests of API keys: 0 moved, 0 left');
    await run("sed -i -E 's/,1:");
    expect(await versions()).toEqual(['2']);
    await restartNodes();
    expect(await documentStatus(rotated.key)).toBe(200);
    expect(await documentStatus(key)).toBe(401);
  }, 120_000);

  it('contains no other code block', () => {
    const rest = blocks.filter(({ text }) => !used.has(text));
    const unknown = rest.filter(({ text }) => !notRun.some(([beginning]) => text.startsWith(beginning)));
    expect(unknown.map(({ place }) => place)).toEqual([]);
  });
});

it(`${page} is read in a few minutes`, () => {
  expect(readFileSync(join(root, page), 'utf8').split(/\s+/).length).toBeLessThan(1500);
});
