import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { report, rounds } from '../support/ledger.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';

const residentMegabytes = async ({ pid }: ServiceProcess): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
};

/** Connections that send a byte of a header or a body from time to time; they begin anew when they are cut. */
function startSlowConnections({ port }: ServiceProcess, count: number) {
  const starts = [
    'GET /api/v1/auth/private-key HTTP/1.1\r\nHost: a\r\nX-Slow: ',
    'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n{',
  ];
  const sockets = new Set<Socket>();
  let stopped = false;
  let cut = 0;
  const open = (index: number): void => {
    const socket = connect(port, '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('connect', () => socket.write(`${starts[index % 2]}`));
    socket.resume().on('close', () => {
      sockets.delete(socket);
      if (stopped) return;
      cut += 1;
      open(index);
    });
  };
  for (let index = 0; index < count; index += 1) open(index);
  const drip = setInterval(() => {
    for (const socket of sockets) socket.write('x');
  }, 1000);
  return {
    /** Resolves when all are there. */
    untilOpen: async (): Promise<void> => {
      while (sockets.size < count || [...sockets].some(({ connecting }) => connecting)) await delay(10);
    },
    /** How many were ended by the service. */
    cut: () => cut,
    stop: () => {
      stopped = true;
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}

it('answers health within 250 ms, and people, while there are 1,000 slow connections', async () => {
  const seconds = rounds(40, 12);
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path, { LOG_LEVEL: 'silent', HTTP_HEADERS_TIMEOUT: '5' });
  const headers = { authorization: `Bearer ${await service.token('alice')}` };
  const slow = startSlowConnections(service, 1000);
  await slow.untilOpen();
  const taken: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    for (const path of ['/health/live', '/health/ready']) {
      const startedAt = performance.now();
      expect((await fetch(service.url + path)).status).toBe(200);
      taken.push(performance.now() - startedAt);
    }
    const answer = await fetch(`${service.url}/api/v1/auth/private-key`, { headers });
    expect(answer.status).toBe(200);
    await delay(50);
  }
  slow.stop();
  taken.sort((a, b) => a - b);
  const at = (share: number) => Math.round(taken[Math.floor((taken.length - 1) * share)] ?? 0);
  report('1,000 slow connections', {
    seconds,
    answers: taken.length,
    'median ms': at(0.5),
    'p99 ms': at(0.99),
    'most ms': at(1),
    'cut by the service': slow.cut(),
  });
  expect(at(1)).toBeLessThan(250);
  // They were slow indeed: those of the first round were cut.
  expect(slow.cut()).toBeGreaterThan(400);
});

const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => write(i)).join(' ');

const fragments = times(100, (index) => `fragment F${index} on Query { __typename }`);

/** Documents of the greatest size, each another: in text, in tokens, and in comments. */
const documents: ((index: number) => string)[] = [
  (index) => `{ __typename } # ${index} `.padEnd(64_000, 'x'),
  (index) => `{ a${index}: __typename ${times(100, (i) => `...F${i}`)} } ${fragments}`,
  (index) => `{ __typename } # ${index}\n${'#\n'.repeat(20_000)}`,
];

it('keeps its memory bounded over 10,000 different documents of the greatest size', async () => {
  const count = rounds(10_000, 600);
  await using folder = await createTemporaryFolder();
  const env = { LOG_LEVEL: 'silent', NODE_OPTIONS: '--max-old-space-size=128' };
  await using service = await startProcess(folder.path, env);
  const headers = {
    authorization: `Bearer ${await service.token('alice')}`,
    'content-type': 'application/json',
  };
  const before = await residentMegabytes(service);
  let most = 0;
  for (let index = 0; index < count; index += 1) {
    const query = `${documents[index % documents.length]?.(index)}`;
    // Some twice, so that they are also compiled.
    for (let time = 0; time < (index % 10 === 0 ? 2 : 1); time += 1) {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query }),
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    if (index % 100 === 0) most = Math.max(most, await residentMegabytes(service));
  }
  report('different documents', { count, 'MiB before': before, 'MiB at most': most });
  expect(most).toBeLessThan(before + 200);
});
