import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { accountAdmin } from '../../src/auth/scopes.ts';
import { openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { cpuMicroseconds } from '../bench/process-figures.ts';
import { databaseConfig } from '../support/database.ts';
import { heaviestEvent, heaviestParts } from '../support/heaviest-account.ts';
import { report, type Writer } from '../support/ledger.ts';
import { createSender } from '../support/open-loop.ts';
import { fillDatabase, startOwnPostgres } from '../support/postgres-service.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';

/** As many as the lists of one person can have. */
const records = 2000;

/** Requests a second of the others, and for how long they are measured, in seconds: before, beside it and after. */
const perSecond = 100;
const alone = 15;
/** One window of the account's rate limit. */
const beside = 60;

/** Gives a person all that the limits allow, and more than one person gets together in a day. */
async function fill(url: string, { subject }: Writer): Promise<void> {
  await using database = await openDatabase(databaseConfig(url));
  const { kysely } = new Db(database.em);
  const { id } = await kysely
    .selectFrom('account')
    .select('id')
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow();
  const account_id = id as AccountId;
  const created_at = new Date();
  const key = { ...heaviestParts, account_id, key_prefix: 'sk-a1b2c3', created_at };
  const event = { ...heaviestEvent, account_id, created_at };
  for (let made = 0; made < records; made += 100) {
    await kysely.insertInto('api_key').values(Array(100).fill(key)).execute();
    await kysely.insertInto('audit_event').values(Array(100).fill(event)).execute();
  }
}

/** The scopes of an owner. Who may verify keys has a limit of their own. */
const owner = accountAdmin.join(' ');

const heavy = {
  paths: ['/api/v1/auth/keys', '/api/v1/audit-events', '/api/v1/auth/keys/usage'],
  bodies: [
    '{ apiKeys(first: 100) { edges { node { permissions metadata allowedAddresses name description } } } }',
    '{ auditEvents(first: 100) { edges { node { action reason requestId changes { field from to } } } } }',
  ],
  connections: 4,
};

/** Sends a person's heaviest requests, as many as are allowed. */
function startHeavy({ url }: ServiceProcess, token: string) {
  const worker = new Worker(new URL('heavy-requests.ts', import.meta.url), {
    workerData: { url, token, ...heavy },
  });
  return {
    stop: async () => {
      worker.postMessage('stop');
      const [result] = await once(worker, 'message');
      return result as { served: number; refused: number; bytes: number };
    },
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

it.each(['SQLite', 'PostgreSQL'])(
  'the heaviest account takes at most a tenth of a core, and all others are answered: %s',
  async (name) => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder());
    const url =
      name === 'SQLite'
        ? `sqlite:${join(folder.path, 'keyward.db')}`
        : stack.use(await startOwnPostgres()).url;
    const size = { people: 20, keysEach: 1 };
    const { port, writers } =
      name === 'SQLite'
        ? await createSqliteFile(join(folder.path, 'keyward.db'), size)
        : await fillDatabase(url, size);
    const [heaviest, ...others] = writers as [Writer, ...Writer[]];
    await fill(url, heaviest);
    const env = { PORT: `${port}`, DATABASE_URL: url, LOG_LEVEL: 'warn', CHANGES_PER_DAY: '999999999' };
    const service = stack.use(await startProcess(folder.path, env));
    const tokens = await Promise.all(others.map(({ subject }) => service.token(subject)));
    using sender = createSender(service.url, tokens, 8);
    await sender.connect();
    const measure = async (seconds: number) => {
      const before = cpuMicroseconds(service.pid) ?? 0;
      const { served, statuses } = await sender.openLoop(perSecond, seconds * 1000);
      expect([...statuses.keys()]).toEqual([200]);
      const cores = ((cpuMicroseconds(service.pid) ?? 0) - before) / (seconds * 1e6);
      return { cores, median: percentile(served, 0.5), p99: percentile(served, 0.99) };
    };

    await measure(5);
    const before = await measure(alone);
    await using heavyRequests = startHeavy(service, await service.token(heaviest.subject, owner));
    const during = await measure(beside);
    const taken = await heavyRequests.stop();
    const after = await measure(alone);
    const p99 = Math.max(before.p99, after.p99);
    report(`the heaviest account: ${name}`, {
      ...taken,
      'cores, alone': before.cores,
      'cores, beside it': during.cores,
      'p99 ms, alone': p99,
      'p99 ms, beside it': during.p99,
    });
    // It was refused: nothing more was allowed.
    expect(taken.refused).toBeGreaterThan(10);
    expect(taken.bytes).toBeGreaterThan(5_000_000);
    expect(during.cores - before.cores).toBeLessThan(0.1);
  },
);
