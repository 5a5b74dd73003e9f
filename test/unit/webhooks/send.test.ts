import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { send } from '../../../src/webhooks/sending/send.ts';

const secrets = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map(
  (bytes) => `whsec_${bytes.toString('base64')}`,
);
const delivery = { message: 'msg_1', payload: '{"type":"api_key.created"}' };

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of stack.splice(0)) await each[Symbol.asyncDispose]();
});

/** A receiver that says to each connection what it is told, byte for byte, once the request is there. */
async function startReceiver(speak: (socket: Socket, request: string) => void) {
  const sockets = new Set<Socket>();
  const closed: Promise<unknown>[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    closed.push(new Promise((resolve) => socket.once('close', resolve)));
    socket.on('error', () => {});
    let request = '';
    socket.on('data', (chunk) => {
      const isNew = !request.endsWith(delivery.payload);
      request += chunk;
      if (isNew && request.endsWith(delivery.payload)) speak(socket, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.push({
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/hooks`, sockets, closed };
}

/** Sends the delivery with a patience that no test waits for, unless it is told a shorter one. */
const attempt = (
  url: string,
  {
    timeout = 20_000,
    signal = new AbortController().signal,
    allowedHosts = ['127.0.0.1'],
    headers = {},
  }: {
    timeout?: number;
    signal?: AbortSignal;
    allowedHosts?: readonly string[];
    headers?: Record<string, string>;
  } = {},
) =>
  send({ url, secrets, headers }, delivery, {
    timeout,
    signal,
    allowedHosts,
    userAgent: 'Keyward/1.2.3',
    now: new Date('2026-03-01T12:00:00.900Z'),
  });

const answered = 'HTTP/1.1 204 No Content\r\n\r\n';

describe('an attempt', () => {
  it('is signed with each secret, and says who sends it', async () => {
    const requests: string[] = [];
    const { url } = await startReceiver((socket, request) => {
      requests.push(request);
      socket.end(answered);
    });
    expect(await attempt(url)).toEqual({ isDelivered: true, text: 'status 204' });
    const [head = '', body] = requests[0]?.split('\r\n\r\n') ?? [];
    expect(head).toMatch(/^POST \/hooks HTTP\/1\.1\r\n/);
    expect(body).toBe(delivery.payload);
    const headers = new Headers(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(/: /, 2) as [string, string]),
    );
    expect(headers.get('user-agent')).toBe('Keyward/1.2.3');
    expect(headers.get('webhook-id')).toBe('msg_1');
    expect(headers.get('webhook-timestamp')).toBe('1772366400');
    const expected = secrets.map((secret) =>
      new Webhook(secret).sign('msg_1', new Date(1_772_366_400_000), delivery.payload),
    );
    expect(headers.get('webhook-signature')).toBe(expected.join(' '));
  });

  it.each([
    ['200 OK', true],
    ['299 Fine', true],
    ['300 Choices', false],
    ['302 Found\r\nLocation: /other', false],
    ['500 Oops', false],
  ])('answered with %j → delivered: %s', async (answer, isDelivered) => {
    let connections = 0;
    const { url } = await startReceiver((socket) => {
      connections += 1;
      socket.end(`HTTP/1.1 ${answer}\r\nContent-Length: 0\r\n\r\n`);
    });
    expect(await attempt(url)).toEqual({ isDelivered, text: `status ${answer.slice(0, 3)}` });
    expect(connections).toBe(1);
  });

  const answering = async (answer: string) => {
    const { url } = await startReceiver((socket) => {
      socket.end(`HTTP/1.1 ${answer}\r\nContent-Length: 0\r\n\r\n`);
    });
    return attempt(url);
  };

  it('has the headers of its endpoint, which cannot replace its own', async () => {
    const requests: string[] = [];
    const { url } = await startReceiver((socket, request) => {
      requests.push(request);
      socket.end(answered);
    });
    await attempt(url, { headers: { Authorization: 'Bearer token', 'webhook-id': 'other' } });
    expect(requests[0]).toContain('\r\nAuthorization: Bearer token\r\n');
    expect(requests[0]).toContain('\r\nwebhook-id: msg_1\r\n');
    expect(requests[0]).not.toContain('other');
  });

  it('410 → the receiver is gone', async () => {
    expect(await answering('410 Gone')).toEqual({ isDelivered: false, text: 'status 410', isGone: true });
  });

  it.each([
    ['429 Slow Down\r\nRetry-After: 120', 120_000],
    ['503 Later\r\nRetry-After: 0', 0],
    ['503 Later\r\nRetry-After: 999999999', 999_999_999_000],
  ])('%j → the time to wait', async (answer, retryAfter) => {
    const text = `status ${answer.slice(0, 3)}`;
    expect(await answering(answer)).toEqual({ isDelivered: false, text, retryAfter });
  });

  it('a date in Retry-After → the time until then', async () => {
    const date = new Date(Date.now() + 600_000).toUTCString();
    const { retryAfter = 0 } = await answering(`503 Later\r\nRetry-After: ${date}`);
    expect(retryAfter).toBeGreaterThan(500_000);
    expect(retryAfter).toBeLessThanOrEqual(600_000);
  });

  it.each([
    '429 Slow Down',
    '503 Later\r\nRetry-After: soon',
    '503 Later\r\nRetry-After: -5',
    '503 Later\r\nRetry-After: 1.5',
    '503 Later\r\nRetry-After: Mon, tomorrow',
    '503 Later\r\nRetry-After: 99999999999999999999',
    '500 Oops\r\nRetry-After: 120',
  ])('%j → no time to wait', async (answer) => {
    expect(await answering(answer)).toEqual({ isDelivered: false, text: `status ${answer.slice(0, 3)}` });
  });

  it('fails at once, and closes the connection, if the receiver speaks another protocol', async () => {
    const { url, closed } = await startReceiver((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n');
    });
    expect(await attempt(url)).toEqual({ isDelivered: false, text: 'status 101' });
    await closed[0];
  });

  it.each(['100 Continue', '103 Early Hints'])('accepts ten %s responses, and no more', async (interim) => {
    let times = 10;
    const { url, closed } = await startReceiver((socket) => {
      socket.write(`HTTP/1.1 ${interim}\r\n\r\n`.repeat(times));
      // Later, so that what comes before it is judged by itself.
      if (times === 10) setTimeout(() => socket.write(answered), 50);
    });
    expect(await attempt(url)).toEqual({ isDelivered: true, text: 'status 204' });
    times = 11;
    expect(await attempt(url)).toEqual({ isDelivered: false, text: 'too many interim answers' });
    await closed[1];
  });

  it('fails if the connection ends after an interim answer', async () => {
    const { url } = await startReceiver((socket) => {
      socket.end('HTTP/1.1 103 Early Hints\r\n\r\n');
    });
    const { isDelivered, text } = await attempt(url);
    expect(isDelivered).toBe(false);
    expect(text).toMatch(/^(?:no answer|ECONNRESET)$/);
  });

  it('fails if the receiver is no HTTP server', async () => {
    const { url } = await startReceiver((socket) => void socket.end('220 mail.example.com ESMTP\r\n'));
    expect(await attempt(url)).toEqual({ isDelivered: false, text: 'HPE_INVALID_CONSTANT' });
  });

  it.each([
    ['nothing', ''],
    ['the beginning of a head', 'HTTP/1.1 200 OK\r\nA: '],
    ['an interim answer', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ])('fails in time, and closes the connection, if the receiver says %s', async (_what, said) => {
    const { url, closed } = await startReceiver((socket) => void (said && socket.write(said)));
    expect(await attempt(url, { timeout: 100 })).toEqual({ isDelivered: false, text: 'timeout' });
    await closed[0];
  });

  it('aborted → ends, and closes the connection', async () => {
    const { promise: isThere, resolve } = Promise.withResolvers<void>();
    const { url, closed } = await startReceiver(() => resolve());
    const stop = new AbortController();
    const outcome = attempt(url, { signal: stop.signal });
    await isThere;
    stop.abort();
    expect(await outcome).toMatchObject({ isDelivered: false });
    await closed[0];
  });

  it('a long answer → the status decides, and only the start is read', async () => {
    const { url, closed, sockets } = await startReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n');
      const fill = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
        socket.once('drain', fill);
      };
      fill();
    });
    expect(await attempt(url)).toEqual({ isDelivered: true, text: 'status 200' });
    await closed[0];
    // What fits into the buffers on the way.
    expect([...sockets][0]?.bytesWritten).toBeLessThan(50_000_000);
  });

  it('an answer that does not end → the status decides', async () => {
    const { url } = await startReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
    });
    expect(await attempt(url, { timeout: 3000 })).toEqual({ isDelivered: true, text: 'status 200' });
  });
});

describe('an address of this machine', () => {
  it('its host is allowed, for any port or for its own → delivered; any other → refused', async () => {
    const { url, port } = await startReceiver((socket) => void socket.end(answered));
    for (const allowed of ['127.0.0.1', `127.0.0.1:${port}`])
      expect(await attempt(url, { allowedHosts: [allowed] })).toMatchObject({ isDelivered: true });
    for (const allowed of ['10.0.0.1', `127.0.0.1:${port + 1}`, 'localhost'])
      expect(await attempt(url, { allowedHosts: [allowed] })).toEqual({
        isDelivered: false,
        text: 'address refused',
      });
  });

  it('a name with that address → refused, unless the name is allowed', async () => {
    const { port } = await startReceiver((socket) => void socket.end(answered));
    const refused = await attempt(`http://localhost:${port}/`);
    expect(refused).toEqual({ isDelivered: false, text: 'address refused' });
    const allowedHosts = [`localhost:${port}`];
    expect(await attempt(`http://localhost:${port}/`, { allowedHosts })).toMatchObject({ isDelivered: true });
  });
});
