import { describe, expect, it } from 'vitest';
import { createApiKeys } from '../support/key-suite.ts';
import { issuesOf, setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const read = (query: Record<string, string> = {}, id = 1) =>
  setup.call('GET', `/auth/keys/${id}/usage?${new URLSearchParams(query)}`);

describe('the use of a key', () => {
  it('has the hours that begin in the range, of no other key', async () => {
    await createApiKeys(setup);
    await setup.gateway.createUses([
      [1, '2026-02-28T23:00:00Z', 'valid', 1],
      [1, '2026-03-01T00:00:00Z', 'valid', 2],
      [1, '2026-03-01T00:00:00Z', 'a reason of later', 3],
      [1, '2026-03-01T23:00:00Z', 'expired', 4],
      [1, '2026-03-02T00:00:00Z', 'valid', 5],
      [2, '2026-03-01T01:00:00Z', 'valid', 6],
      [3, '2026-03-01T01:00:00Z', 'valid', 7],
    ]);
    const before = await setup.stored();
    const range = { from: '2026-03-01T01:00:00+01:00', to: '2026-03-02T00:00:00Z' };
    const answered = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' };
    expect(await read(range)).toMatchObject({
      status: 200,
      body: {
        ...answered,
        counts: [
          { at: '2026-03-01T00:00:00.000Z', outcome: 'a reason of later', count: 3 },
          { at: '2026-03-01T00:00:00.000Z', outcome: 'valid', count: 2 },
          { at: '2026-03-01T23:00:00.000Z', outcome: 'expired', count: 4 },
        ],
      },
    });
    const empty = { from: '2026-03-05T00:00:00Z', to: '2026-03-05T00:00:00Z' };
    expect((await read(empty)).body.counts).toEqual([]);
    expect(await setup.stored()).toEqual(before);
  });

  it('by day → the same hours, added up by days of UTC', async () => {
    await createApiKeys(setup);
    await setup.gateway.createUses([
      [1, '2026-03-01T00:00:00Z', 'valid', 1],
      [1, '2026-03-01T11:00:00Z', 'valid', 20],
      [1, '2026-03-01T23:00:00Z', 'valid', 300],
      [1, '2026-03-01T23:00:00Z', 'rotated', 4],
      [1, '2026-03-02T00:00:00Z', 'valid', 5000],
      [1, '2026-03-02T01:00:00Z', 'valid', 60_000],
    ]);
    const range = { from: '2026-03-01T11:00:00Z', to: '2026-03-02T01:00:00Z' };
    const { body } = await read({ by: 'day', ...range });
    expect(body.counts).toEqual([
      { at: '2026-03-01T00:00:00.000Z', outcome: 'rotated', count: 4 },
      { at: '2026-03-01T00:00:00.000Z', outcome: 'valid', count: 320 },
      { at: '2026-03-02T00:00:00.000Z', outcome: 'valid', count: 5000 },
    ]);
  });

  it('without a range → the last 24 hours', async () => {
    await createApiKeys(setup);
    const hour = 3_600_000;
    const now = Math.floor(Date.now() / hour) * hour;
    const at = (hours: number) => new Date(now - hours * hour).toISOString();
    await setup.gateway.createUses([
      [1, at(0), 'valid', 1],
      [1, at(22), 'valid', 2],
      [1, at(25), 'valid', 3],
    ]);
    const { body } = await read();
    expect(body.counts.map(({ count }: { count: number }) => count)).toEqual([2, 1]);
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(24 * hour);
    expect(Math.abs(Date.parse(body.to) - Date.now())).toBeLessThan(60_000);
  });

  it('with an end alone → the 24 hours before it', async () => {
    await createApiKeys(setup);
    const { body } = await read({ to: '2026-03-02T01:30:00Z' });
    expect(body).toEqual({ from: '2026-03-01T01:30:00.000Z', to: '2026-03-02T01:30:00.000Z', counts: [] });
    const first = await read({ to: '1970-01-01T01:30:00Z' });
    expect(first.body.from).toBe('1970-01-01T00:00:00.000Z');
  });

  it('more than a number can hold → the largest number', async () => {
    await createApiKeys(setup);
    await setup.gateway.createUses([
      [1, '2026-03-01T00:00:00Z', 'valid', 2_147_483_647],
      [1, '2026-03-01T01:00:00Z', 'valid', 2_147_483_647],
    ]);
    const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
    const { body } = await read({ by: 'day', ...range });
    expect(body.counts).toEqual([{ at: '2026-03-01T00:00:00.000Z', outcome: 'valid', count: 2_147_483_647 }]);
  });

  it('has what was verified just now', async () => {
    const { gateway } = setup;
    const { id, secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    const token = await setup.sign({ scope: 'keys.verify' });
    await gateway.rest('POST', '/keys/verify', { token, json: { key: secret } });
    await gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } });
    await gateway.keyUsage.write();
    const { body } = await read({}, id);
    const counts = body.counts.map(({ outcome, count }: { outcome: string; count: number }) => [
      outcome,
      count,
    ]);
    // The hour may have ended between the two.
    expect(counts).toBeOneOf([
      [['valid', 2]],
      [
        ['valid', 1],
        ['valid', 1],
      ],
    ]);
  });
});

describe('a range', () => {
  const to = '2026-03-01T00:00:00.000Z';
  const daysBefore = (days: number, more = 0) =>
    new Date(Date.parse(to) - days * 86_400_000 - more).toISOString();

  it.each([
    ['hour', 31],
    ['day', 366],
  ])('by %s of more than %i days → 422', async (by, days) => {
    await createApiKeys(setup);
    expect((await read({ by, to, from: daysBefore(days) })).status).toBe(200);
    const refused = await read({ by, to, from: daysBefore(days, 1) });
    expect([refused.status, issuesOf(refused)]).toEqual([422, [['from', 'value_error']]]);
  });

  it('that ends before it begins → 422', async () => {
    await createApiKeys(setup);
    for (const range of [{ from: '2026-03-01T00:00:00.001Z', to }, { from: '9999-12-31T00:00:00Z' }])
      expect(issuesOf(await read(range as Record<string, string>))).toEqual([['from', 'value_error']]);
  });

  it('of text that is no time and no period → 422', async () => {
    await createApiKeys(setup);
    const refused = await read({ from: '2026-03-01', to: '2026-03-01T00:00:00', by: 'week' });
    expect(issuesOf(refused)).toEqual([
      ['from', 'datetime_parsing'],
      ['to', 'timezone_aware'],
      ['by', 'enum'],
    ]);
    // The spelling of GraphQL.
    expect(issuesOf(await read({ by: 'DAY' }))).toEqual([['by', 'enum']]);
  });
});
