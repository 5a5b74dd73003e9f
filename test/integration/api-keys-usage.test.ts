import { describe, expect, it } from 'vitest';
import { createApiKeys } from '../support/key-suite.ts';
import { recordStatements } from '../support/record-statements.ts';
import { issuesOf, setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const read = (query: Record<string, string>, claims = {}) =>
  setup.call('GET', `/auth/keys/usage?${new URLSearchParams(query)}`, undefined, claims);

describe('the use of all keys', () => {
  it('adds up all of the caller’s keys, and nobody else’s', async () => {
    await createApiKeys(setup);
    await setup.gateway.createUses([
      [1, '2026-03-01T00:00:00Z', 'valid', 1],
      [2, '2026-03-01T00:00:00Z', 'valid', 20],
      [2, '2026-03-01T00:00:00Z', 'inactive', 300],
      [2, '2026-03-01T01:00:00Z', 'valid', 4000],
      [3, '2026-03-01T00:00:00Z', 'valid', 50_000],
    ]);
    const range = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' };
    const at = '2026-03-01T00:00:00.000Z';
    expect(await read(range)).toMatchObject({
      status: 200,
      body: {
        ...range,
        counts: [
          { at, outcome: 'inactive', count: 300 },
          { at, outcome: 'valid', count: 21 },
          { at: '2026-03-01T01:00:00.000Z', outcome: 'valid', count: 4000 },
        ],
      },
    });
    expect((await read({ ...range, by: 'day' }, { sub: 'bob' })).body.counts).toEqual([
      { at, outcome: 'valid', count: 50_000 },
    ]);
    expect((await read(range, { sub: 'somebody new' })).body).toEqual({ ...range, counts: [] });
  });

  it('takes one statement, which reads no key', async () => {
    await createApiKeys(setup);
    const hours = Array.from({ length: 10 * 24 }, (_, hour) => hour);
    const start = Date.parse('2026-03-01T00:00:00Z');
    await setup.gateway.createUses(
      hours.map((hour) => [1, new Date(start + hour * 3_600_000).toISOString(), 'valid', 1] as const),
    );
    const range = { from: '2026-03-01T12:00:00Z', to: '2026-03-10T06:00:00Z' };
    let answer: Awaited<ReturnType<typeof read>> | undefined;
    const { sql } = await recordStatements(setup.gateway.database, async () => {
      answer = await read({ ...range, by: 'day' });
    });
    // Leases may be given back meanwhile, which is no read.
    const reads = sql.filter((statement) => statement.startsWith('select'));
    expect(reads).toEqual([expect.not.stringContaining('api_key')]);
    const counts = answer?.body.counts.map(({ count }: { count: number }) => count);
    expect(counts).toEqual([12, 24, 24, 24, 24, 24, 24, 24, 24, 6]);
    const byHour = (await read(range)).body.counts;
    expect(byHour).toHaveLength(12 + 8 * 24 + 6);
  });
});

describe('a range', () => {
  it('that is too long → 422', async () => {
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' };
    expect(issuesOf(await read(range))).toEqual([['from', 'value_error']]);
  });
});
