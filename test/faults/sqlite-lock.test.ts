import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { audit, report, rounds, send, signIn, update, type Writer } from '../support/ledger.ts';
import { createTemporaryFolder, startProcess, unlimited } from '../support/process.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';

/** How long the lock is held, in milliseconds. */
const held = 1000 * Math.max(7, rounds(20, 7));

/** Another program, which is in the middle of a transaction. */
function lock(file: string): Disposable {
  const other = new Sqlite(file);
  other.exec('begin immediate');
  return { [Symbol.dispose]: () => void other.close() };
}

/** What is answered to a request, and after how many milliseconds. */
async function time(ask: () => Promise<Response | undefined>) {
  const startedAt = performance.now();
  const response = await ask();
  return {
    status: response?.status,
    retryAfter: response?.headers.get('retry-after'),
    milliseconds: Math.round(performance.now() - startedAt),
  };
}

type Answered = Pick<Awaited<ReturnType<typeof time>>, 'status' | 'milliseconds'>;

/** Reads and asks about health, one after the other, and notes the answers until it is told to stop. */
async function readOn(url: string, writer: Writer, stopped: AbortSignal, answers: Answered[]) {
  while (!stopped.aborted) {
    answers.push(await time(() => fetch(`${url}/health/live`)));
    answers.push(await time(() => fetch(`${url}/health/ready`)));
    answers.push(await time(() => send(url, writer, 'GET', '/auth/private-key')));
    await delay(20);
  }
}

const middle = (answers: readonly { readonly milliseconds: number }[]) =>
  answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)[Math.floor(answers.length / 2)];

const fastest = (answers: readonly { readonly milliseconds: number }[]) =>
  Math.min(...answers.map(({ milliseconds }) => milliseconds));

const slowest = (answers: readonly { readonly milliseconds: number }[]) =>
  Math.max(...answers.map(({ milliseconds }) => milliseconds));

it('waits 5 seconds for another program’s lock, and answers everything else meanwhile', async () => {
  await using folder = await createTemporaryFolder();
  const file = join(folder.path, 'data', 'keyward.db');
  const { port, query, writers } = await createSqliteFile(file, { people: 40, keysEach: 1 });
  await using service = await startProcess(folder.path, { PORT: `${port}`, ...unlimited });
  await signIn(service, writers);
  const [reader] = writers as [Writer];
  const stop = new AbortController();
  const endsAt = performance.now() + held;
  const other = lock(file);
  const reads: Answered[] = [];
  const reading = readOn(service.url, reader, stop.signal, reads);

  // Many at once: nobody waits for the five seconds of those before.
  const early = await Promise.all(writers.map((writer) => time(() => update(service.url, writer))));
  expect(early.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(writers.map(() => [503, '5']));
  expect(fastest(early)).toBeGreaterThan(4500);
  // One after another, the last of the 40 would wait for 40 times as long as the first.
  expect(slowest(early)).toBeLessThan(4 * fastest(early));

  await delay(endsAt - performance.now() - 1500);
  const late = update(service.url, reader);
  await delay(200);
  // More than a process takes at once: those who only read still find a place.
  const crowd = writers.flatMap((writer) => Array.from({ length: 10 }, () => writer));
  const more = crowd.map((writer) => send(service.url, writer, 'PUT', '/automation/settings', {}));
  await delay(endsAt - performance.now());
  const readMeanwhile = reads.length;
  other[Symbol.dispose]();
  const releasedAt = performance.now();
  expect((await late)?.status).toBe(200);
  await Promise.all(more);
  const after = await Promise.all(writers.map((writer) => update(service.url, writer)));
  const recovered = Math.round(performance.now() - releasedAt);
  stop.abort();
  await reading;
  expect(after.map((response) => response?.status)).toEqual(writers.map(() => 200));
  report('a lock of another program on SQLite', {
    'seconds held': held / 1000,
    'a write in ms': slowest(early),
    'a read or health in ms': middle(reads),
    'at most': slowest(reads),
    'all written after ms': recovered,
  });
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  // Three for each ten seconds, if they waited for the lock: for 5 seconds each, but for the one about being live.
  expect(readMeanwhile).toBeGreaterThan(held / 1000);
  expect(await audit(writers, query)).toEqual([]);
});
