import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder, openConnection, startProcess, untilRefused } from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const body = '{"is_enabled": true}';

/** A service with a request in flight, whose body has yet to come. */
async function startBusy() {
  await using started = new AsyncDisposableStack();
  const service = started.use(await startProcess(folder.path));
  const connection = started.use(await openConnection(service));
  connection.write(
    'PUT /api/v1/automation/settings HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n' +
      `Authorization: Bearer ${await service.token('alice')}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await connection.until('100 Continue');
  const stack = started.move();
  return { service, connection, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('a second signal', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends it at once: %s, exit code %i', async (signal, code) => {
    await using busy = await startBusy();
    busy.service.signal('SIGTERM');
    await untilRefused(busy.service);
    await delay(600);
    busy.service.signal(signal);
    const ended = await busy.service.ended;
    expect(ended).toMatchObject({ code, stderr: '' });
    expect(ended.stdout).toMatch(
      new RegExp(`"exitCode":${code},"msg":"a second signal: ending at once"}\\n$`),
    );
  });

  it('that comes together with the first, because both npm and the terminal send it, does not count', async () => {
    await using busy = await startBusy();
    busy.service.signal('SIGINT');
    busy.service.signal('SIGTERM');
    await untilRefused(busy.service);
    busy.connection.write(body);
    expect(await busy.connection.until('"is_enabled":true')).toContain('HTTP/1.1 200 OK');
    expect(await busy.service.ended).toMatchObject({ code: 0 });
  });
});

describe('an uncaught error', () => {
  /** Throws at SIGUSR2 what it is told to. */
  const preload = (statement: string) =>
    `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${statement} });`)}`;
  const error = `new TypeError('told to', { cause: new RangeError('the cause') })`;

  it.each([
    ['unhandledRejection', `void Promise.reject(${error})`],
    ['uncaughtException', `throw ${error}`],
  ])('is logged with its cause, and ends it with exit code 1: %s', async (origin, statement) => {
    await using service = await startProcess(folder.path, { NODE_OPTIONS: preload(statement) });
    service.signal('SIGUSR2');
    const { code, stdout, stderr } = await service.ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      level: 60,
      origin,
      error: {
        type: 'TypeError',
        message: 'told to',
        stack: expect.any(Array),
        cause: { type: 'RangeError', message: 'the cause' },
      },
      msg: 'unexpected error: ending the process',
    });
  });
});
