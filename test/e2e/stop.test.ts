import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  openConnection,
  type ServiceProcess,
  startProcess,
  untilRefused,
} from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;

beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());
beforeEach(async () => {
  service = await startProcess(folder.path);
});
afterEach(() => service?.[Symbol.asyncDispose]());

const body = '{"is_enabled": true}';

/** What the log says of a stop, from its beginning. */
const linesOfStop = () => {
  const lines = service.output.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines
    .slice(lines.findIndex(({ msg }) => msg === 'stopping'))
    .filter(({ msg, event }) => msg !== 'request' && !event);
};

const stopped = { level: 30, msg: 'stopped', milliseconds: expect.any(Number) };

/** Sends a request but for its body, and waits until the service has taken it on. */
const begin = async (connection: Awaited<ReturnType<typeof openConnection>>, header = '') => {
  connection.write(
    `PUT /api/v1/automation/settings HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}` +
      `Authorization: Bearer ${await service.token('alice')}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await connection.until('100 Continue');
};

describe('SIGTERM', () => {
  it('stops it with exit code 0', async () => {
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    expect(linesOfStop()).toMatchObject([{ level: 30, msg: 'stopping', signal: 'SIGTERM' }, stopped]);
  });

  it('lets it answer the request in flight, and accept no other', async () => {
    using connection = await openConnection(service);
    await begin(connection, 'Connection: close\r\n');
    service.signal('SIGTERM');
    await untilRefused(service);
    connection.write(body);
    expect(await connection.until('"is_enabled":true')).toContain('HTTP/1.1 200 OK');
    expect((await service.ended).code).toBe(0);
  });

  it('logs what it waits for', async () => {
    using connection = await openConnection(service);
    await begin(connection, 'Connection: close\r\n');
    service.signal('SIGTERM');
    while (!service.output.stdout.includes('waiting for requests')) await delay(20);
    connection.write(body);
    expect((await service.ended).code).toBe(0);
    expect(linesOfStop()).toMatchObject([
      { msg: 'stopping' },
      { level: 30, msg: 'waiting for requests in flight', connections: 1 },
      stopped,
    ]);
  });

  it('logs what it cuts off after 8 seconds', async () => {
    using connection = await openConnection(service);
    await begin(connection);
    service.signal('SIGTERM');
    expect((await service.ended).code).toBe(0);
    expect(linesOfStop()).toMatchObject([
      { msg: 'stopping' },
      { msg: 'waiting for requests in flight', connections: 1 },
      { level: 40, msg: 'requests in flight take too long: cutting them off', connections: 1 },
      stopped,
    ]);
    expect(linesOfStop().at(-1).milliseconds).toBeGreaterThan(7900);
  });
});

describe('SIGINT', () => {
  it('does the same, and does not wait for an idle connection', async () => {
    using connection = await openConnection(service);
    await begin(connection);
    service.signal('SIGINT');
    await untilRefused(service);
    connection.write(body);
    expect(await connection.until('"is_enabled":true')).toContain('HTTP/1.1 200 OK');
    expect((await service.ended).code).toBe(0);
    expect(linesOfStop().map(({ msg }) => msg)).not.toContain(
      'requests in flight take too long: cutting them off',
    );
  });
});
