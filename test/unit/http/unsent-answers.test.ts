import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../../src/http/exchange.ts';
import { createListener } from '../../../src/http/listener.ts';
import { Load } from '../../../src/http/load.ts';

/** More than the operating system takes off a process that nobody reads from. */
const size = 32 * 1024 * 1024;

const lines: object[] = [];
const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });

let load: Load;
let port: number;
let body: () => Answer['body'];
let isShared: boolean;
let stack: AsyncDisposableStack;
/** What the clock shows, in milliseconds. */
let now: number;
beforeEach(async () => {
  lines.length = 0;
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  stack = new AsyncDisposableStack();
  load = stack.use(new Load(2, logger, Number.POSITIVE_INFINITY));
  body = () => 'x'.repeat(size);
  isShared = false;
  const handler = {
    load,
    takesBody: () => true,
    answer: async () => ({ status: 200, headers: {}, body: body(), isShared }),
  };
  const server = createServer(
    createListener(handler, 1000, (error) => {
      throw error;
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  stack.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
});
afterEach(() => stack.disposeAsync());

/** Asks, and reads nothing of the answer. */
const ask = async (): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'readable');
  return socket;
};

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('an answer', () => {
  it('counts as in flight until it is sent', async () => {
    const socket = await ask();
    expect(load.inFlight).toBe(1);
    socket.resume();
    await until(() => load.inFlight === 0);
  });

  it('short enough to be sent at once → never counts as in flight', async () => {
    body = () => 'short';
    const hold = vi.spyOn(load, 'holdUntilSent');
    const inFlight: number[] = [];
    hold.mockImplementation((response) => {
      Load.prototype.holdUntilSent.call(load, response);
      inFlight.push(load.inFlight);
    });
    await ask();
    expect(inFlight).toEqual([0]);
  });

  it('counts as in flight until its connection is closed', async () => {
    const socket = await ask();
    expect(load.inFlight).toBe(1);
    socket.destroy();
    await until(() => load.inFlight === 0);
  });

  it('small → does not count as in flight after it is sent', async () => {
    body = () => 'x';
    await ask();
    expect(load.inFlight).toBe(0);
  });

  it('shared by several requests → does not count as in flight', async () => {
    const shared = Buffer.alloc(size);
    body = () => shared;
    isShared = true;
    const socket = await ask();
    expect(load.inFlight).toBe(0);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    await until(() => received > size);
  });

  it('the client has left before → does not count as in flight', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const made = Promise.withResolvers<void>();
    const handler = {
      load,
      takesBody: () => true,
      answer: async () => {
        made.resolve();
        await promise;
        return { status: 200, headers: {}, body: 'x'.repeat(size) };
      },
    };
    const server = createServer(createListener(handler, 1000, () => {})).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await made.promise;
    socket.destroy();
    server.close();
    await once(server, 'close');
    resolve();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(load.inFlight).toBe(0);
  });
});

describe('answers that clients do not read', () => {
  it('too many of them → the slowest readers are disconnected, but only as many as necessary', async () => {
    const sockets = [await ask(), await ask(), await ask(), await ask()];
    expect(load.inFlight).toBe(4);
    now = 999;
    load.makeRoom();
    expect(load.isTooMuch).toBe(true);
    now = 1000;
    load.makeRoom();
    expect(load.inFlight).toBe(2);
    expect(load.isTooMuch).toBe(false);
    for (const socket of sockets) socket.resume();
    await until(() => sockets.slice(0, 2).every((socket) => socket.closed));
    expect(sockets.slice(0, 2).map(({ bytesRead }) => bytesRead < size)).toEqual([true, true]);
    await until(() => sockets.slice(2).every(({ bytesRead }) => bytesRead > size));
    // Nobody was counted twice.
    expect(load.inFlight).toBe(0);
  });

  it('no more than allowed → no connection is closed', async () => {
    await ask();
    await ask();
    now = 60_000;
    load.makeRoom();
    expect(load.inFlight).toBe(2);
  });

  it('the log says how many clients were disconnected', async () => {
    const sockets = [await ask(), await ask(), await ask()];
    now = 1000;
    load.makeRoom();
    await until(() => lines.length > 0);
    expect(lines).toMatchObject([{ refused: 0, disconnected: 1 }]);
    for (const socket of sockets) socket.destroy();
  });
});
