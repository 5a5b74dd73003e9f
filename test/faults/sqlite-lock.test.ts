import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { audit, report, rounds, send, signIn, update, type Writer } from '../support/ledger.ts';
import { createTemporaryFolder, startProcess, unlimited } from '../support/process.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';

/** How long the lock is held, in milliseconds. */
const held = 1000 * Math.max(7, rounds(20, 7));

/** The most that an answer may take on a busy machine that waits for no lock: less than the 5 seconds of one that does. */
const usual = 3000;

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

/** Reads and asks about health, one after the other, until it is told to stop. */
async function readOn(url: string, writer: Writer, stopped: AbortSignal) {
  const answers: { readonly status: number | undefined; readonly milliseconds: number }[] = [];
  while (!stopped.aborted) {
    answers.push(await time(() => fetch(`${url}/health/live`)));
    answers.push(await time(() => fetch(`${url}/health/ready`)));
    answers.push(await time(() => send(url, writer, 'GET', '/auth/private-key')));
    await delay(20);
  }
  return answers;
}

const middle = (answers: readonly { readonly milliseconds: number }[]) =>
  answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)[Math.floor(answers.length / 2)];

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
  const reading = readOn(service.url, reader, stop.signal);

  // Many at once: nobody waits for the five seconds of those before.
  const early = await Promise.all(writers.map((writer) => time(() => update(service.url, writer))));
  expect(early.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(writers.map(() => [503, '5']));
  expect(Math.min(...early.map(({ milliseconds }) => milliseconds))).toBeGreaterThan(4500);
  // One after another, they would wait for minutes.
  expect(slowest(early)).toBeLessThan(15_000);

  await delay(endsAt - performance.now() - 1500);
  const late = update(service.url, reader);
  await delay(200);
  // More than a process takes at once: those who only read still find a place.
  const crowd = writers.flatMap((writer) => Array.from({ length: 10 }, () => writer));
  const more = crowd.map((writer) => send(service.url, writer, 'PUT', '/automation/settings', {}));
  await delay(endsAt - performance.now());
  other[Symbol.dispose]();
  const releasedAt = performance.now();
  expect((await late)?.status).toBe(200);
  await Promise.all(more);
  const after = await Promise.all(writers.map((writer) => update(service.url, writer)));
  const recovered = Math.round(performance.now() - releasedAt);
  stop.abort();
  const reads = await reading;
  expect(after.map((response) => response?.status)).toEqual(writers.map(() => 200));
  report('a lock of another program on SQLite', {
    'seconds held': held / 1000,
    'a write in ms': slowest(early),
    'a read or health in ms': middle(reads),
    'at most': slowest(reads),
    'all written after ms': recovered,
  });
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  // A read that waits for the lock takes 5 seconds.
  expect(middle(reads)).toBeLessThan(usual);
  expect(await audit(writers, query)).toEqual([]);
});
