import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeServerCredential } from '../../src/config/values/server-credentials.ts';
import { startCollector } from '../support/collector.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  type Ended,
  freePort,
  runScript,
  runService,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { basic, createServer, type TestServer } from '../support/servers.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let issuer: TestIssuer;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  issuer = await startIssuer();
});
afterAll(async () => {
  await issuer?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const makeCredential = (...args: string[]): Promise<Ended> =>
  runScript('dist/server/credential.js', args, { cwd: folder.path });

/** What the command has printed, by name. */
const printedBy = ({ stdout }: Ended) =>
  Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/=(.*)/s) as [string, string]),
  );

const ask = (url: string, authorization: string) =>
  fetch(`${url}/api/v1/keys/verify`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"key": "none"}',
  });

describe('npm run credential', () => {
  it('prints an entry and a secret that fit each other, and others each time', async () => {
    const [one, other] = await Promise.all(
      [0, 1].map(() =>
        makeCredential('--name', 'checkout', '--scope', 'keys.verify', '--scope', 'accounts.entitle'),
      ),
    );
    expect(one).toMatchObject({ code: 0, stderr: '' });
    const { credential = '', secret = '' } = printedBy(one as Ended);
    expect(credential).toMatch(/^checkout:keys\.verify\+accounts\.entitle:sha256-[\w-]{43}$/);
    expect(secret).toMatch(/^kws_[0-9a-f]{72}$/);
    expect(one?.stdout.split('\n')).toHaveLength(3);
    expect(printedBy(other as Ended)['secret']).not.toBe(secret);

    await using service = await startProcess(folder.path, {
      SERVER_CREDENTIALS: credential,
      DATABASE_URL: 'sqlite::memory:',
    });
    for (const authorization of [`Bearer ${secret}`, basic('checkout', secret), 'Bearer kws_development'])
      expect((await ask(service.url, authorization)).status).toBe(200);
    expect((await ask(service.url, `Bearer ${printedBy(other as Ended)['secret']}`)).status).toBe(401);
  });

  it.each([
    [
      ['--name', 'checkout'],
      'The scopes must be one or more of keyward.admin, keyward.audit, keys.verify, keys.import, accounts.act, accounts.entitle',
    ],
    [['--name', 'checkout', '--scope', 'openid'], 'The scopes must be one or more of'],
    [['--scope', 'keys.verify'], 'A name must be 1 to 40 of a-z'],
    [['--name', 'check out', '--scope', 'keys.verify'], 'A name must be 1 to 40 of a-z'],
    [['checkout'], 'There is no argument checkout'],
  ])('with %j says what is wrong, and makes nothing', async (args, fault) => {
    const ended = await makeCredential(...args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(fault);
    expect(ended.stderr).toContain('Usage: npm run --silent credential');
  });
});

const calls = [
  ['/api/v1/keys/verify', { method: 'POST', body: '{"key": "none"}' }],
  ['/api/v1/admin/accounts', {}],
  ['/api/v1/auth/private-key', {}],
  ['/api/v1/keys/self', {}],
  ['/graphql', { method: 'POST', body: '{"query": "{ accounts { edges { node { id } } } }"}' }],
] as const;

/** Calls a service as each of the servers, in each way, and returns all that it answers. */
async function callWith({ url }: ServiceProcess, servers: readonly TestServer[]): Promise<string> {
  const all = servers.flatMap(({ name, secret }) => [
    ...[`Bearer ${secret}`, basic(name, secret), basic(secret, secret)],
  ]);
  let told = '';
  for (const authorization of all)
    for (const [path, init] of calls) {
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await fetch(url + path, { ...init, headers });
      told += `${JSON.stringify([...response.headers])}\n${await response.text()}\n`;
    }
  return told;
}

/** What would give a server's secret away, or its digest. */
const tracesOf = ({ name, secret, digest }: TestServer): string[] => [
  ...[secret, secret.slice(4, 40), basic(name, secret).slice(6), basic(secret, secret).slice(6, 60)],
  ...[digest.toString('hex'), digest.toString('base64url')],
];

/** The environment of a node in production. */
const production = (servers: string) => ({
  NODE_ENV: 'production',
  AUTH_ISSUER: issuer.config.issuer,
  AUTH_AUDIENCE: 'keyward',
  SERVER_CREDENTIALS_FILE: servers,
  ...secretVariables(),
});

describe('in production', () => {
  const file = () => join(folder.path, 'servers');
  const support = createServer('support', 'keyward.admin');
  const checkout = createServer('checkout', 'keys.verify');

  it('--check-config lists each name with its scopes, and no digest', async () => {
    await writeFile(file(), `${writeServerCredential(checkout)}\n${writeServerCredential(support)}\n`);
    const { code, stdout, stderr } = await runService(folder.path, production(file()), ['--check-config']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('\nServer checkout: keys.verify.\nServer support: keyward.admin.\n');
    expect(stdout).not.toContain('sha256');
  });

  it('kws_development is a wrong secret', async () => {
    await writeFile(file(), writeServerCredential(checkout));
    await using service = await startProcess(folder.path, {
      ...production(file()),
      DATABASE_URL: 'sqlite::memory:',
    });
    expect((await ask(service.url, 'Bearer kws_development')).status).toBe(401);
    expect((await ask(service.url, `Bearer ${checkout.secret}`)).status).toBe(200);
  });

  it('a start with a secret in place of its digest says so, without the secret', async () => {
    await writeFile(file(), `checkout:keys.verify:${checkout.secret}`);
    const { code, stdout, stderr } = await runService(folder.path, production(file()));
    expect(code).toBe(1);
    expect(stderr).toContain(
      'SERVER_CREDENTIALS_FILE entry 1 (checkout) has a secret in place of its digest',
    );
    expect(stdout + stderr).not.toContain(checkout.secret.slice(4, 40));
  });

  it('no secret is in a log line, a trace, a metric or a response, whether it is right or wrong', async () => {
    await using collector = await startCollector();
    await writeFile(file(), `${writeServerCredential(checkout)}\n${writeServerCredential(support)}\n`);
    const metricsPort = await freePort();
    await using service = await startProcess(folder.path, {
      ...production(file()),
      ADMIN: 'on',
      RATE_LIMIT_ADDRESS: '30/60',
      LOG_LEVEL: 'trace',
      METRICS_PORT: `${metricsPort}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    const wrong = createServer('checkout', 'keys.verify');
    const nobody = createServer('nobody', 'keys.verify');
    const all = [checkout, support, wrong, nobody];
    const told = await callWith(service, all);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toContain('keyward_server_requests_total{server="checkout",status="200"}');
    expect(metrics).toContain('keyward_token_checks_total{outcome="refused",reason="token-server-secret"}');
    expect(metrics).not.toContain('nobody');
    service.signal('SIGTERM');
    const { stdout, stderr } = await service.ended;
    expect(stdout).toContain('"server":"checkout"');
    expect(collector.spans.length).toBeGreaterThan(20);
    const texts = { told, metrics, stdout, stderr, traces: collector.text() };
    for (const [where, text] of Object.entries(texts))
      for (const trace of all.flatMap(tracesOf)) expect(text.includes(trace), where).toBe(false);
  });
});

describe('a secret is replaced while a server asks all the time', () => {
  let postgres: OwnPostgres;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  it('by the documented steps, on two nodes: each request is answered with 200', async () => {
    const [before, after] = [
      createServer('checkout', 'keys.verify'),
      createServer('checkout', 'keys.verify'),
    ];
    const file = join(folder.path, 'rotated');
    const env = { ...production(file), DATABASE_URL: postgres.url, DATABASE_MIGRATE: 'auto' };
    const configure = (...servers: TestServer[]) =>
      writeFile(file, servers.map(writeServerCredential).join('\n'));
    await configure(before);
    await using started = new AsyncDisposableStack();
    const nodes: ServiceProcess[] = [];
    for (let node = 0; node < 2; node += 1) nodes.push(started.use(await startProcess(folder.path, env)));
    const restart = async () => {
      for (const [at, node] of nodes.entries()) {
        node.signal('SIGTERM');
        await node.ended;
        nodes[at] = started.use(await startProcess(folder.path, { ...env, PORT: `${node.port}` }));
      }
    };

    let secret = before.secret;
    let isDone = false;
    const statuses = new Map<number, number>();
    /** Asks one node, or the other where that one does not answer, as a proxy does. */
    const load = async (first: number): Promise<void> => {
      for (let turn = first; !isDone; turn += 1) {
        const url = nodes[turn % 2]?.url ?? '';
        const status = await ask(url, `Bearer ${secret}`).then(
          (response) => response.status,
          () => undefined,
        );
        if (status !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await delay(1);
      }
    };
    const loads = [0, 1, 2, 3].map(load);

    await configure(before, after);
    await restart();
    secret = after.secret;
    await configure(after);
    await restart();
    isDone = true;
    await Promise.all(loads);
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(100);
    for (const { url } of nodes) {
      expect((await ask(url, `Bearer ${before.secret}`)).status).toBe(401);
      expect((await ask(url, basic('checkout', after.secret))).status).toBe(200);
    }
    expect(await readFile(file, 'utf8')).not.toContain(after.secret);
  });
});
