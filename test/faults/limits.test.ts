import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { residentMegabytes } from '../bench/process-figures.ts';
import { report, rounds } from '../support/ledger.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess, unlimited } from '../support/process.ts';

/** Slow connections to the service, held by a thread: what they cost it must not delay the test's own requests. */
async function startSlowConnections({ port }: ServiceProcess, count: number) {
  const worker = new Worker(new URL('slow-connections.ts', import.meta.url), { workerData: { port, count } });
  await once(worker, 'message');
  return {
    /** Closes them; resolves with how many were ended by the service until then. */
    stop: async (): Promise<number> => {
      worker.postMessage('stop');
      const [cut] = await once(worker, 'message');
      return cut as number;
    },
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}

it('answers health and other requests with 1,000 slow connections', async () => {
  const seconds = rounds(40, 12);
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path, { LOG_LEVEL: 'silent', HTTP_HEADERS_TIMEOUT: '5' });
  const headers = { authorization: `Bearer ${await service.token('alice')}` };
  await using slow = await startSlowConnections(service, 1000);
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
  const cut = await slow.stop();
  taken.sort((a, b) => a - b);
  const at = (share: number) => Math.round(taken[Math.floor((taken.length - 1) * share)] ?? 0);
  report('1,000 slow connections', {
    seconds,
    answers: taken.length,
    'median ms': at(0.5),
    'p99 ms': at(0.99),
    'most ms': at(1),
    'cut by the service': cut,
  });
  // They were slow indeed: those of the first round were cut.
  expect(cut).toBeGreaterThan(400);
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

it('keeps its memory bounded with 10,000 different documents of the largest size', async () => {
  const count = rounds(10_000, 600);
  await using folder = await createTemporaryFolder();
  const env = { LOG_LEVEL: 'silent', ...unlimited, NODE_OPTIONS: '--max-old-space-size=128' };
  await using service = await startProcess(folder.path, env);
  const headers = {
    authorization: `Bearer ${await service.token('alice')}`,
    'content-type': 'application/json',
  };
  const before = Number(residentMegabytes(service.pid));
  let most = 0;
  for (let index = 0; index < count; index += 1) {
    const query = `${documents[index % documents.length]?.(index)}`;
    // Some twice, so that they are also found among those that are kept.
    for (let time = 0; time < (index % 10 === 0 ? 2 : 1); time += 1) {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query }),
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    if (index % 100 === 0) most = Math.max(most, Number(residentMegabytes(service.pid)));
  }
  report('different documents', { count, 'MB before': before, 'MB at most': most });
  expect(most).toBeLessThan(before + 200);
});
