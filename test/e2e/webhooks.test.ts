import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { copyInto, installNodePackage } from '../support/node-package.ts';
import { createTemporaryFolder, freePort, type ServiceProcess, startProcess } from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { pythonPackage } from '../support/python-package.ts';
import { scrape } from '../support/scrape.ts';
import { queryFile } from '../support/sqlite-service.ts';
import { createSecret, failures, type Receiver, startReceiver, take } from '../support/webhook-receiver.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const until = (holds: () => void | Promise<void>) => vi.waitFor(holds, { timeout: 20_000, interval: 20 });

/** Makes a service do in an hour what it would do every second or more rarely, as its look at the table. */
const rareLooks = `--import=data:text/javascript,${encodeURIComponent(
  'const usual = setInterval; globalThis.setInterval = (act, time) => usual(act, time < 1000 ? time : 3_600_000);',
)}`;

/** Starts an example, and waits until it listens. */
async function startExample(command: string, file: string) {
  const secret = createSecret();
  const port = await freePort();
  const folder = stack.use(await createTemporaryFolder()).path;
  await copyInto(folder, 'examples', [file]);
  if (command === process.execPath) await installNodePackage(folder, []);
  const { PATH = '' } = process.env;
  const env = { PATH, ...pythonPackage, PORT: `${port}`, WEBHOOK_SECRET: secret };
  const child = spawn(command, [file], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stack.defer(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const example = { url: `http://127.0.0.1:${port}/`, secret, printed: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    example.printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    example.errors += text;
  });
  await until(() => expect(example.printed).toContain('listening'));
  return example;
}

const languages = [
  ['node', 'webhooks.mjs', process.execPath, true],
  ['python3', 'webhooks.py', 'python3', canRun('python3', 'its receiver of webhooks is not run')],
] as const;

let service: ServiceProcess;
let metrics: number;
let receiver: Receiver;
const examples = new Map<string, Awaited<ReturnType<typeof startExample>>>();

beforeAll(async () => {
  for (const [name, file, command, isHere] of languages)
    if (isHere) examples.set(name, await startExample(command, file));
  receiver = stack.use(await startReceiver());
  const folder = stack.use(await createTemporaryFolder());
  metrics = await freePort();
  const endpoints = [receiver, ...examples.values()].map(({ url, secret }) => ({ url, secret }));
  const env = {
    WEBHOOKS: JSON.stringify(endpoints),
    WEBHOOKS_ALLOW: '127.0.0.1',
    METRICS_PORT: `${metrics}`,
  };
  service = stack.use(await startProcess(folder.path, env, 25_000));
  // What happens before the endpoints are known is not told.
  await until(async () => {
    await change({ session_duration: 60 });
    expect(receiver.taken().length).toBeGreaterThan(0);
  });
}, 60_000);

/** Changes somebody's settings. */
async function change(json: object, subject = 'alice', running = service): Promise<void> {
  const headers = {
    authorization: `Bearer ${await running.token(subject)}`,
    'content-type': 'application/json',
  };
  const response = await fetch(`${running.url}/api/v1/automation/settings`, {
    method: 'PUT',
    headers,
    body: JSON.stringify(json),
  });
  expect(response.status).toBe(200);
}

describe('the service', () => {
  it('sends what it changed at once, before its next look at the table', async () => {
    const own = stack.use(await startReceiver());
    const folder = stack.use(await createTemporaryFolder());
    await using running = await startProcess(folder.path, {
      WEBHOOKS: JSON.stringify([{ url: own.url, secret: own.secret }]),
      WEBHOOKS_ALLOW: '127.0.0.1',
      NODE_OPTIONS: rareLooks,
    });
    await until(async () => {
      await change({ session_duration: 60 }, 'alice', running);
      expect(own.taken().length).toBeGreaterThan(0);
    });
    const [first] = own.taken();
    const ofBob = () => own.taken().filter(({ event }) => event.data.user_id !== first?.event.data.user_id);
    for (const turn of [1, 2, 3]) {
      await change({ session_duration: 100 + turn }, 'bob', running);
      await until(() => expect(ofBob()).toHaveLength(turn));
    }
  });

  it('counts what it sends', async () => {
    // At least one to each endpoint.
    const delivered = async () =>
      (await scrape(metrics)).sum('keyward_webhook_deliveries_total', { outcome: 'delivered' });
    await until(async () => expect(await delivered()).toBeGreaterThan(examples.size));
    const found = await scrape(metrics);
    expect(found.sum('keyward_webhook_deliveries_total', { outcome: 'parked' })).toBe(0);
    expect(found.sum('keyward_webhook_oldest_waiting_seconds')).toBeGreaterThanOrEqual(0);
    expect(found.sum('keyward_webhook_deliveries_waiting')).toBeGreaterThanOrEqual(0);
  });
});

describe.each(languages)('the receiver in %s', (name, _file, _command, isHere) => {
  it.runIf(isHere)('accepts a signed message once, and nothing else', async () => {
    const example = examples.get(name);
    if (!example) throw new Error('it was not started');
    await until(() => expect(example.printed).toMatch(/^automation_settings\.updated: user \d+, key none$/m));
    const { url, secret } = example;
    const body = JSON.stringify({ type: 'api_key.created', data: { user_id: 7, key_id: 8 } });
    const post = async (signer: string, sentAt: Date) => {
      const signature = new Webhook(signer).sign('msg_1', sentAt, body);
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': `${Math.floor(sentAt.getTime() / 1000)}`,
        'webhook-signature': signature,
      };
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    expect(await post(createSecret(), new Date())).toBe(400);
    expect(await post(secret, new Date(Date.now() - 600_000))).toBe(400);
    expect((await fetch(url, { method: 'POST', body })).status).toBe(400);
    expect(example.printed).not.toContain('user 7');
    expect(await post(secret, new Date())).toBe(204);
    expect(await post(secret, new Date())).toBe(204);
    await until(() => expect(example.printed.match(/^api_key\.created: user 7, key 8$/gm)).toHaveLength(1));
  });
});

describe.each(languages)('the receiver in %s answers, and goes on,', (name, _file, _command, isHere) => {
  const now = () => `${Math.floor(Date.now() / 1000)}`;
  const long = 100_001;

  it.runIf(isHere).each([
    ['a digit that is not ASCII as the time', { 'webhook-timestamp': '\u00b2' }],
    ['Arabic digits as the time', { 'webhook-timestamp': Buffer.from('\u0661\u0662').toString('latin1') }],
    ['a very long time', { 'webhook-timestamp': '9'.repeat(5000) }],
    ['a negative time', { 'webhook-timestamp': '-1' }],
    ['a signature that is not ASCII', { 'webhook-signature': 'v1,\u00e4\u00f6\u00fc' }],
    ['an id that is not ASCII', { 'webhook-id': '\u00ff\u00fe' }],
    ['no length', { 'transfer-encoding': 'chunked' }, '2\r\n{}\r\n0\r\n\r\n'],
    ['a length that is not ASCII', { 'content-length': '\u00b2' }],
    ['a negative length', { 'content-length': '-1' }],
    ['a very long length', { 'content-length': '9'.repeat(5000) }, ''],
    ['a body that is too long', { 'content-length': `${long}` }, ' '.repeat(long)],
    ['a body that is not UTF-8', { 'content-length': '2' }, '\u00ff\u00fe'],
  ])('to a request with %s', async (_what, headers: Record<string, string>, body = '{}') => {
    const example = examples.get(name);
    if (!example) throw new Error('it was not started');
    const fields = {
      ...{ host: 'localhost', 'content-length': `${body.length}` },
      ...{ 'webhook-id': 'msg_2', 'webhook-timestamp': now(), 'webhook-signature': 'v1,AAAA' },
      ...headers,
    };
    if ('transfer-encoding' in headers) Reflect.deleteProperty(fields, 'content-length');
    const head = Object.entries(fields).map(([field, value]) => `${field}: ${value}\r\n`);
    const socket = connect({ port: Number(new URL(example.url).port), host: '127.0.0.1' });
    socket.write(Buffer.from(`POST / HTTP/1.1\r\n${head.join('')}\r\n${body}`, 'latin1'));
    // The rest of a body that is too long may be answered with a reset.
    const answer = await socket
      .setEncoding('latin1')
      .toArray()
      .then(
        (parts) => parts.join(''),
        () => 'reset',
      );
    expect(answer).toMatch(/^HTTP\/1\.[01] 4\d\d |^reset$/);
    expect((await fetch(example.url, { method: 'POST', body: '{}' })).status).toBe(400);
    expect(example.errors).toBe('');
  });

  it.runIf(isHere)('after a sender that goes away in the middle of a body', async () => {
    const example = examples.get(name);
    if (!example) throw new Error('it was not started');
    const socket = connect({ port: Number(new URL(example.url).port), host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
    await delay(50);
    socket.resetAndDestroy();
    await delay(50);
    expect((await fetch(example.url, { method: 'POST', body: '{}' })).status).toBe(400);
  });
});

describe('an endpoint that an operator adds', () => {
  it('gets messages without a restart and after one, without configuration', async () => {
    const added = stack.use(await startReceiver());
    const folder = stack.use(await createTemporaryFolder());
    const env = { ADMIN: 'on', WEBHOOKS_ALLOW: '127.0.0.1' };
    const send = async (
      running: ServiceProcess,
      path: string,
      method: string,
      json: object,
      scope?: string,
    ) => {
      const token = scope ? await running.token('olivia', scope) : await running.token('alice');
      const response = await fetch(`${running.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(json),
      });
      expect(response.ok).toBe(true);
      return response.json();
    };
    {
      await using first = await startProcess(folder.path, env, 25_000);
      const made = await send(first, '/admin/webhooks', 'POST', { url: added.url }, 'keyward.admin');
      added.secret = (made as { secret: string }).secret;
      await send(first, '/automation/settings', 'PUT', { session_duration: 60 });
      await until(() => expect(added.types()).toEqual(['automation_settings.updated']));
      first.signal('SIGTERM');
      expect((await first.ended).code).toBe(0);
      expect(first.output.stdout).not.toMatch(/whsec_|\/hooks/);
    }
    await using second = await startProcess(folder.path, env, 25_000);
    await send(second, '/automation/settings', 'PUT', { session_duration: 61 });
    await until(() => expect(added.types()).toHaveLength(2));
  });
});

describe('SIGTERM', () => {
  it('stops the service in time while a receiver hangs or speaks another protocol, and loses no count', async () => {
    const made = await fetch(`${service.url}/api/v1/auth/keys`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await service.token('bob')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'limited', quota: { limit: 1000, refill: 'never' } }),
    });
    const { key } = (await made.json()) as { key: string };
    const uses = 33;
    for (let use = 0; use < uses; use += 1) {
      const headers = { 'x-api-key': key };
      expect((await fetch(`${service.url}/api/v1/keys/authorize`, { headers })).status).toBe(200);
    }
    const query = queryFile(service.databaseFile);
    const quota = 'select taken, units from api_key_quota where units = 1000';
    // More is taken than was used, and no use is written yet.
    expect(Number((await query(quota))[0]?.['taken'])).toBeGreaterThan(uses);
    for (const [manner, person] of [
      ['no answer', 'bob'],
      ['another protocol', 'carol'],
    ] as const) {
      receiver.manner = failures[manner] ?? take;
      const before = receiver.all.length;
      await change({ session_duration: 200 }, person);
      await until(() => expect(receiver.all.length).toBeGreaterThan(before));
    }
    service.signal('SIGTERM');
    // One that does not stop in time kills itself, and has no exit code.
    expect((await service.ended).code).toBe(0);
    // Its path may hold what only its receiver should know.
    expect(service.output.stdout).not.toContain('/hooks');
    expect(await query(quota)).toEqual([{ taken: uses, units: 1000 }]);
    const counted = "select sum(count) as uses from api_key_use where outcome = 'valid'";
    expect(await query(counted)).toEqual([{ uses }]);
  });
});
