import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { inTurn } from '../../../src/http/load.ts';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

const start = async (listener: RequestListener, mostWaiting?: number): Promise<number> => {
  const server = createServer(inTurn(listener, mostWaiting)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
};

const open = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};

/** Requests for these paths, in one piece. */
const requests = (...paths: (number | string)[]) =>
  paths.map((path) => `GET /${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(setImmediate);
};

/** A listener that waits to be told to answer. */
function createHeld() {
  const held = new Map<string, ServerResponse>();
  const listener: RequestListener = (request, response) => void held.set(`${request.url}`, response);
  return { listener, paths: () => [...held.keys()], answer: (path: string) => held.get(path)?.end(path) };
}

describe('the requests of a connection', () => {
  it('are answered one after the other, in their order', async () => {
    const { listener, paths, answer } = createHeld();
    const socket = await open(await start(listener));
    let received = '';
    socket.on('data', (text: string) => {
      received += text;
    });
    socket.write(requests('a', 'b', 'c'));
    for (const seen of [['/a'], ['/a', '/b'], ['/a', '/b', '/c']]) {
      await until(() => paths().length === seen.length);
      expect(paths()).toEqual(seen);
      answer(seen.at(-1) ?? '');
    }
    await until(() => received.endsWith('/c'));
    expect(received.match(/\/[abc]/g)).toEqual(['/a', '/b', '/c']);
  });

  it('wait until the client has received the earlier answer', async () => {
    const seen: string[] = [];
    const port = await start((request, response) => {
      seen.push(`${request.url}`);
      response.end('x'.repeat(24 * 1024 * 1024));
    });
    const socket = await open(port);
    socket.pause().write(requests('a', 'b'));
    await until(() => seen.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(seen).toEqual(['/a']);
    socket.resume();
    await until(() => seen.length > 1);
    expect(seen).toEqual(['/a', '/b']);
  });

  it('are dropped when it is closed', async () => {
    const seen: string[] = [];
    const port = await start((request, response) => {
      seen.push(`${request.url}`);
      response.end('x'.repeat(24 * 1024 * 1024));
    });
    const socket = await open(port);
    socket.pause().write(requests('a', 'b', 'c'));
    await until(() => seen.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(seen).toEqual(['/a']);
  });

  it('let other work run between them', async () => {
    const seen: string[] = [];
    let seenAtTurn = 0;
    const port = await start((request, response) => {
      if (request.url === '/0') setImmediate(() => setImmediate(() => (seenAtTurn = seen.length)));
      seen.push(`${request.url}`);
      response.end();
    });
    const socket = await open(port);
    socket.resume().write(requests(...numbers(500)));
    await until(() => seen.length === 500);
    expect(seenAtTurn).toBeGreaterThan(0);
    expect(seenAtTurn).toBeLessThan(10);
  });

  it('closed while one waits → the waiting one no longer counts', async () => {
    const { listener, paths } = createHeld();
    const port = await start(listener, 10);
    for (let round = 0; round < 12; round += 1) {
      const socket = await open(port);
      socket.write(requests(`${round}`, 'waiting'));
      await until(() => paths().includes(`/${round}`));
      socket.destroy();
      await once(socket, 'close');
    }
    // Had they still counted, this one would be closed.
    const socket = await open(port);
    socket.write(requests('last', ...numbers(9)));
    await until(() => paths().includes('/last'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(socket.closed).toBe(false);
    expect(paths()).toHaveLength(13);
  });
});

describe('more waiting than allowed', () => {
  it('the connection with the most of them is closed, and the others go on', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    stack.defer(() => void process.off('warning', note));
    const { listener, paths, answer } = createHeld();
    const port = await start(listener, 10);
    const [modest, greedy] = [await open(port), await open(port)];
    modest.resume().write(requests('modest', 'm1', 'm2', 'm3'));
    await until(() => paths().includes('/modest'));
    greedy.resume().write(requests('greedy', ...numbers(500)));
    await once(greedy, 'close');
    expect(modest.closed).toBe(false);
    for (const path of ['/modest', '/m1', '/m2', '/m3']) {
      await until(() => paths().includes(path));
      answer(path);
    }
    const another = await open(port);
    another.write(requests('another', ...numbers(9)));
    await until(() => paths().includes('/another'));
    answer('/another');
    await until(() => paths().includes('/0'));
    expect(paths()).toEqual(['/modest', '/greedy', '/m1', '/m2', '/m3', '/another', '/0']);
    // Once closed, it counts no more, whatever came with it.
    expect(warnings).toEqual([]);
  });

  it('a connection that pipelines within the limit is never closed', async () => {
    let answered = 0;
    const port = await start((_request, response) => {
      answered += 1;
      response.end();
    }, 100);
    const socket = await open(port);
    socket.resume();
    for (let round = 1; round <= 30; round += 1) {
      socket.write(requests(...numbers(100)));
      await until(() => answered === round * 100);
    }
    expect(socket.closed).toBe(false);
  });
});
