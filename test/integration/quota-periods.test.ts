import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import type { QuotaRefill } from '../../src/database/tables.ts';
import { keyQuotas } from '../../src/quotas/key-quotas.ts';
import { isPeriodOver, periodEnd } from '../../src/quotas/quota-periods.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { openTestDatabase } from '../support/database.ts';
import { setClocks } from '../support/database-clock.ts';
import { createBuilders } from '../support/gateway.ts';
import { secretListOf } from '../support/secrets.ts';

let database: Database;
let db: Db;
let keyId: number;
let createQuota: ReturnType<typeof createBuilders>['createQuota'];
beforeAll(async () => {
  database = await openTestDatabase();
  db = new Db(database.em);
  const secrets = createSecrets({ peppers: secretListOf(1), encryptionKeys: secretListOf(1) });
  const builders = createBuilders(database, 'https://id.example.com', secrets);
  keyId = await builders.createApiKey(await builders.createAccount('alice'));
  createQuota = builders.createQuota;
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(async () => {
  vi.useRealTimers();
  await database.em.getConnection().execute('delete from api_key_quota');
});

/** What was read before, of which only the generation counts. */
const seen = { units: 0, refill: 'never', taken: 0, generation: 0, over: false } as const;

/** The end of a period that begins at a moment, as the database has it. */
async function endByDatabase(refill: QuotaRefill, now: Date): Promise<unknown> {
  const refillsAt = refill === 'never' ? null : new Date(now.getTime() - 1);
  await createQuota(keyId, { refill, refillsAt, generation: 1 });
  await keyQuotas.begin(db, { ...seen, ownerId: keyId, generation: 1, amount: 0, now });
  const [row] = await database.em.getConnection().execute('select refills_at from api_key_quota');
  return row?.['refills_at'] && new Date(row['refills_at'] as number).toISOString();
}

async function isOverByDatabase(refill: QuotaRefill, refillsAt: Date | null, now: Date): Promise<boolean> {
  await createQuota(keyId, { refill, refillsAt });
  const row = await keyQuotas.read(db, keyId, seen, now);
  return Boolean(row?.over);
}

describe('a period', () => {
  const moments = [
    '2026-03-01T12:00:00.000Z',
    '2026-03-01T00:00:00.000Z',
    '2026-02-28T23:59:59.999Z',
    '2028-02-28T23:59:59.999Z',
    '2026-12-31T23:59:59.999Z',
    '2026-03-29T01:30:00.000Z',
    '2026-10-31T23:00:00.001Z',
  ];
  it.each(
    moments.flatMap((moment) =>
      (['daily', 'monthly', 'never'] as const).map((refill) => [refill, moment] as const),
    ),
  )('%s ends at the same time for the database and the process: %s', async (refill, moment) => {
    const now = new Date(moment);
    await setClocks(database, now);
    const end = periodEnd(refill, now)?.toISOString() ?? null;
    expect(await endByDatabase(refill, now)).toBe(end);
  });

  it.each<[QuotaRefill, string, string | null, boolean]>([
    ['daily', '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z', true],
    ['daily', '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.001Z', false],
    ['daily', '2026-03-01T12:00:00.000Z', '2026-03-02T00:00:00.000Z', false],
    // The clock was ahead when the period began: by days, by an hour, by less than a minute.
    ['daily', '2026-03-01T12:00:00.000Z', '2026-03-06T00:00:00.000Z', true],
    ['daily', '2026-03-01T23:30:00.000Z', '2026-03-03T00:00:00.000Z', true],
    ['daily', '2026-03-01T23:59:30.000Z', '2026-03-03T00:00:00.000Z', false],
    ['monthly', '2026-03-31T23:59:30.000Z', '2026-05-01T00:00:00.000Z', false],
    ['monthly', '2026-03-31T23:30:00.000Z', '2026-05-01T00:00:00.000Z', true],
    ['monthly', '2026-03-01T12:00:00.000Z', '2026-04-01T00:00:00.000Z', false],
    ['monthly', '2026-03-01T12:00:00.000Z', '2036-04-01T00:00:00.000Z', true],
    ['never', '2026-03-01T12:00:00.000Z', null, false],
  ])('%s, at %s, with its end at %s → over: %s', async (refill, moment, end, expected) => {
    const [now, refillsAt] = [new Date(moment), end === null ? null : new Date(end)];
    await setClocks(database, now);
    expect(isPeriodOver(refill, refillsAt, now)).toBe(expected);
    expect(await isOverByDatabase(refill, refillsAt, now)).toBe(expected);
  });
});
