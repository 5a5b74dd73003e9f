import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { translateError } from '../../src/database/failures.ts';
import { migrate } from '../../src/database/migrate.ts';
import { databaseConfig, inTransaction, writerOf } from '../support/database.ts';
import {
  acknowledged,
  audit,
  deactivate,
  phantoms,
  report,
  rounds,
  send,
  signIn,
  startLoad,
  update,
  type Writer,
} from '../support/ledger.ts';
import { createTemporaryFolder, startProcess, unlimited } from '../support/process.ts';
import { callers, RandomTransactions, reasonOf } from '../support/random-transactions.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';
import { canMount, limitFileSize, mountTinyDisk } from '../support/tiny-disk.ts';

interface Fault {
  begin(): void;
  end(): void;
}

/** What the writes and the reads are answered while a fault lasts, and how long the slowest answer takes. */
async function observe(url: string, writers: readonly Writer[], turns: number) {
  const writes = new Map<string, number>();
  const reads = new Set<number | undefined>();
  let slowest = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const startedAt = performance.now();
    const responses = await Promise.all(
      writers.map((writer, index) => ((index + turn) % 2 === 0 ? update : deactivate)(url, writer)),
    );
    for (const response of responses) {
      const what = `${response?.status} ${response?.headers.get('retry-after') ? 'with' : 'without'} Retry-After`;
      writes.set(what, (writes.get(what) ?? 0) + 1);
    }
    for (const writer of writers) reads.add((await send(url, writer, 'GET', '/auth/private-key'))?.status);
    slowest = Math.max(slowest, performance.now() - startedAt);
  }
  return { writes: Object.fromEntries(writes), reads: [...reads], slowest: Math.round(slowest) };
}

/** Writes until a write is refused: what room the log has left is used up first. */
async function untilRefused(url: string, writers: readonly Writer[]): Promise<number> {
  for (let turn = 0; turn < 2000; turn += 1) {
    const responses = await Promise.all(writers.map((writer) => update(url, writer)));
    if (responses.every((response) => response?.status === 503)) return turn;
  }
  throw new Error('The fault has no effect');
}

async function suffer(
  what: string,
  folder: string,
  faultOf: (service: { pid: number; file: string }) => Fault,
) {
  const file = join(folder, 'data', 'keyward.db');
  const { port, query, writers } = await createSqliteFile(file, { people: 6, keysEach: 200 });
  await using service = await startProcess(folder, { PORT: `${port}`, LOG_LEVEL: 'silent', ...unlimited });
  await signIn(service, writers);
  const fault = faultOf({ pid: service.pid, file });
  const recoveries: number[] = [];
  let slowest = 0;
  for (let round = 0; round < 5; round += 1) {
    const load = startLoad(service.url, writers);
    await load.untilAcknowledged(50);
    fault.begin();
    await load.stop();
    await untilRefused(service.url, writers);
    const observed = await observe(service.url, writers, 5);
    expect(observed).toMatchObject({ writes: { '503 with Retry-After': 30 }, reads: [200] });
    expect(load.unexpected).toEqual([]);
    slowest = Math.max(slowest, observed.slowest);
    fault.end();
    const endedAt = performance.now();
    const after = await Promise.all(writers.map((writer) => update(service.url, writer)));
    recoveries.push(Math.round(performance.now() - endedAt));
    expect(after.map((response) => response?.status)).toEqual(writers.map(() => 200));
  }
  const lost = await audit(writers, query);
  report(`${what} on SQLite`, {
    rounds: recoveries.length,
    acknowledged: acknowledged(writers),
    lost: lost.length,
    'slowest answer in ms': slowest,
    'writes again after ms': Math.max(...recoveries),
  });
  expect(lost).toEqual([]);
  expect(await phantoms(writers, query)).toEqual([]);
  expect(await query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
}

it('answers writes with 503 while the disk fails, answers reads, and recovers on its own', async () => {
  await using folder = await createTemporaryFolder();
  await suffer('I/O error', folder.path, ({ pid, file }) => ({
    // Neither the log nor the file may grow from here.
    begin: () => limitFileSize(pid, Math.min(statSync(`${file}-wal`).size, statSync(file).size)),
    end: () => limitFileSize(pid, 'unlimited'),
  }));
});

/** Lets random transactions run, each time with a fault from one turn of the event loop to another. */
async function disturb(file: string, { begin, end }: Fault): Promise<Set<string | undefined>> {
  await using database = await RandomTransactions.open(file);
  const seen = new Set<string | undefined>();
  const turns = fc.nat({ max: 30 });
  const property = fc.asyncProperty(
    callers({ overfills: false }),
    turns,
    turns,
    async (all, after, during) => {
      const outcomes = await database.check(all, async () => {
        for (let passed = 0; passed < after; passed += 1) await turn();
        begin();
        for (let passed = 0; passed < during; passed += 1) await turn();
        end();
      });
      for (const outcome of outcomes) seen.add(reasonOf(outcome));
    },
  );
  await fc.assert(property, { numRuns: rounds(300, 40) });
  return seen;
}

const reasons = (seen: ReadonlySet<string | undefined>) => [...seen].map(String).sort();

it('keeps exactly what was committed, whatever fails in the middle of a group', async () => {
  await using folder = await createTemporaryFolder();
  const file = join(folder.path, 'keyward.db');
  const seen = await disturb(file, {
    begin: () => limitFileSize(process.pid, Math.min(statSync(`${file}-wal`).size, statSync(file).size)),
    end: () => limitFileSize(process.pid, 'unlimited'),
  });
  report('random transactions with an I/O error in the middle', { 'what became of them': reasons(seen) });
  expect(reasons(seen)).toEqual(expect.arrayContaining(['undefined', 'SQLITE_CONSTRAINT_UNIQUE', 'enough']));
  expect(reasons(seen).filter((reason) => /^SQLITE_(IOERR|FULL)/.test(reason))).not.toEqual([]);
});

// Only some users may mount a file system; the tests below do without.
if (canMount()) {
  it('answers writes with 503 while the disk is full, answers reads, and recovers on its own', async () => {
    await using folder = await createTemporaryFolder();
    const data = join(folder.path, 'data');
    mkdirSync(data);
    using disk = mountTinyDisk(data);
    await suffer('disk full', folder.path, () => ({ begin: disk.fill, end: disk.free }));
  });

  it('keeps exactly what was committed if the disk is full in the middle of a group', async () => {
    await using folder = await createTemporaryFolder();
    using disk = mountTinyDisk(folder.path);
    const seen = await disturb(join(folder.path, 'keyward.db'), { begin: disk.fill, end: disk.free });
    report('random transactions with a full disk in the middle', { 'what became of them': reasons(seen) });
    expect(reasons(seen)).toContain('SQLITE_FULL');
  });
} else {
  process.stdout.write('\nNo file system can be mounted here: the disk is not filled.\n');
}

/** A database in a file, in this process, and two ways to let it fail. */
async function openFile(folder: string) {
  const file = join(folder, 'keyward.db');
  const config = databaseConfig(`sqlite:${file}`);
  const database = await openDatabase(config);
  await migrate(database, config);
  const limit = (pages: number) => writerOf(database).pragma(`max_page_count = ${pages}`);
  const faults = {
    'a statement that finds no room': [() => limit(1), () => limit(1_000_000)],
    'a COMMIT that cannot be written': [
      async () => limitFileSize(process.pid, statSync(`${file}-wal`).size),
      async () => limitFileSize(process.pid, 'unlimited'),
    ],
  } as const;
  return { database, faults };
}

it.each(['a statement that finds no room', 'a COMMIT that cannot be written'] as const)(
  'gives the connection back after a transaction with %s',
  async (name) => {
    await using folder = await createTemporaryFolder();
    const { database, faults } = await openFile(folder.path);
    await using _closed = database;
    const insert = (subject: string) =>
      inTransaction(database, (execute) =>
        execute(`insert into account (issuer, subject, created_at) values ('i', '${subject}', 1)`),
      );
    const [begin, end] = faults[name];
    await begin();
    try {
      // Longer than a page, so that no room that is left will do.
      for (const subject of ['a', 'b', 'c'].map((letter) => letter.repeat(100_000))) {
        const error = await insert(subject).then(
          () => expect.fail('there was room'),
          (cause: unknown) => cause,
        );
        expect.soft(translateError(error)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
      }
    } finally {
      await end();
    }
    await insert('d');
    const subjects = await database.em.getConnection().execute('select subject from account');
    expect(subjects).toEqual([{ subject: 'd' }]);
  },
);
