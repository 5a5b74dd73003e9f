import { describe, expect, it } from 'vitest';
import { createApiKeys, describeKeyId } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { transportsOf } from '../support/transports.ts';

const setup = setUpGateway();

const operation = {
  field: 'apiKeyUsage',
  rest: ['GET', '/auth/keys/{key_id}/usage'],
  query: `query ($keyId: Int!, $from: DateTime, $to: DateTime, $by: UsagePeriod) {
    apiKeyUsage(keyId: $keyId, from: $from, to: $to, by: $by) { from to counts { at outcome count } } }`,
} as const;

/** A period as each side spells it. */
const period = (transport: string, by: string) => (transport === 'REST' ? by.toLowerCase() : by);

describe.each(transportsOf(setup, operation))('success over %s', (transport, read) => {
  it('answers the hours that begin in the range, and no other key', async () => {
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
    expect(await read({ keyId: 1, ...range })).toEqual({
      status: 200,
      code: 'OK',
      data: {
        ...answered,
        counts: [
          { at: '2026-03-01T00:00:00.000Z', outcome: 'a reason of later', count: 3 },
          { at: '2026-03-01T00:00:00.000Z', outcome: 'valid', count: 2 },
          { at: '2026-03-01T23:00:00.000Z', outcome: 'expired', count: 4 },
        ],
      },
    });
    const empty = { from: '2026-03-05T00:00:00Z', to: '2026-03-05T00:00:00Z' };
    expect((await read({ keyId: 1, ...empty })).data.counts).toEqual([]);
    expect(await setup.stored()).toEqual(before);
  });

  it('adds up the same hours by days of UTC', async () => {
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
    const { data } = await read({ keyId: 1, by: period(transport, 'DAY'), ...range });
    expect(data.counts).toEqual([
      { at: '2026-03-01T00:00:00.000Z', outcome: 'rotated', count: 4 },
      { at: '2026-03-01T00:00:00.000Z', outcome: 'valid', count: 320 },
      { at: '2026-03-02T00:00:00.000Z', outcome: 'valid', count: 5000 },
    ]);
  });

  it('is of the last 24 hours where nothing is said, and says of which', async () => {
    await createApiKeys(setup);
    const hour = 3_600_000;
    const now = Math.floor(Date.now() / hour) * hour;
    const at = (hours: number) => new Date(now - hours * hour).toISOString();
    await setup.gateway.createUses([
      [1, at(0), 'valid', 1],
      [1, at(22), 'valid', 2],
      [1, at(25), 'valid', 3],
    ]);
    const { data } = await read({ keyId: 1 });
    expect(data.counts.map(({ count }: { count: number }) => count)).toEqual([2, 1]);
    expect(Date.parse(data.to) - Date.parse(data.from)).toBe(24 * hour);
    expect(Math.abs(Date.parse(data.to) - Date.now())).toBeLessThan(60_000);
  });

  it('begins 24 hours before an end that is given', async () => {
    await createApiKeys(setup);
    const { data } = await read({ keyId: 1, to: '2026-03-02T01:30:00Z' });
    expect(data).toEqual({ from: '2026-03-01T01:30:00.000Z', to: '2026-03-02T01:30:00.000Z', counts: [] });
    const first = await read({ keyId: 1, to: '1970-01-01T01:30:00Z' });
    expect(first.data.from).toBe('1970-01-01T00:00:00.000Z');
  });

  it('says what a number can say at most', async () => {
    await createApiKeys(setup);
    await setup.gateway.createUses([
      [1, '2026-03-01T00:00:00Z', 'valid', 2_147_483_647],
      [1, '2026-03-01T01:00:00Z', 'valid', 2_147_483_647],
    ]);
    const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
    const { data } = await read({ keyId: 1, by: period(transport, 'DAY'), ...range });
    expect(data.counts).toEqual([{ at: '2026-03-01T00:00:00.000Z', outcome: 'valid', count: 2_147_483_647 }]);
  });

  it('counts what was verified just now at the doors', async () => {
    const { gateway } = setup;
    const { id, secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    const token = await setup.sign({ scope: 'keys.verify' });
    await gateway.rest('POST', '/keys/verify', { token, json: { key: secret } });
    await gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } });
    await gateway.keyUsage.write();
    const { data } = await read({ keyId: id });
    const counts = data.counts.map(({ outcome, count }: { outcome: string; count: number }) => [
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

describe.each(transportsOf(setup, operation))('422 over %s', (transport, read) => {
  const to = '2026-03-01T00:00:00.000Z';
  const daysBefore = (days: number, more = 0) =>
    new Date(Date.parse(to) - days * 86_400_000 - more).toISOString();

  it.each([
    ['HOUR', 31],
    ['DAY', 366],
  ])('is for a range that is too long: by %s more than %i days', async (by, days) => {
    await createApiKeys(setup);
    const input = { keyId: 1, by: period(transport, by), to };
    expect((await read({ ...input, from: daysBefore(days) })).code).toBe('OK');
    expect(await read({ ...input, from: daysBefore(days, 1) })).toMatchObject({
      code: 'BAD_USER_INPUT',
      issues: [['from', 'value_error']],
    });
  });

  it('is for a range that ends before it begins', async () => {
    await createApiKeys(setup);
    expect((await read({ keyId: 1, from: '2026-03-01T00:00:00.001Z', to })).issues).toEqual([
      ['from', 'value_error'],
    ]);
    expect((await read({ keyId: 1, from: '9999-12-31T00:00:00Z' })).issues).toEqual([
      ['from', 'value_error'],
    ]);
  });

  it('is for what is no moment, and no period', async () => {
    await createApiKeys(setup);
    const { issues } = await read({ keyId: 1, from: '2026-03-01', to: '2026-03-01T00:00:00', by: 'week' });
    expect(issues).toEqual([
      ['from', 'datetime_parsing'],
      ['to', 'timezone_aware'],
      ['by', 'enum'],
    ]);
    // Each side has its own spelling, and no other.
    const other = transport === 'REST' ? 'DAY' : 'day';
    expect((await read({ keyId: 1, by: other })).issues).toEqual([['by', 'enum']]);
  });
});

describeKeyId(setup, operation);
