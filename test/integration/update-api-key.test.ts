import { describe, expect, it, vi } from 'vitest';
import { setClocks } from '../support/database-clock.ts';
import { createApiKeys, everything, everythingTold, noParts } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const update = (json: object, id = 1) => setup.call('PATCH', `/auth/keys/${id}`, json);

/** A change as the audit trail answers it. */
interface Change {
  readonly from: unknown;
  readonly to: unknown;
}

/** What the newest audit event says of what was changed. */
const newestChanges = async () => {
  const [event] = (await setup.call('GET', '/audit-events?limit=1')).body;
  return [event.action, event.changes];
};

describe('a name', () => {
  it.each([
    ['Desk', 'Desk'],
    ['  Desk\t', 'Desk'],
    [null, null],
    ['a', 'a'],
    ['😀'.repeat(100), '😀'.repeat(100)],
    ['Laptop', 'Laptop'],
  ])('%j → %j, and nothing else changes', async (name, expected) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    expect(await update({ name })).toMatchObject({ status: 200, body: { id: 1, name: expected } });
    const { api_key: keys = [], audit_event: _events, ...others } = await setup.stored();
    const { api_key: [first, ...otherKeys] = [], audit_event: _none, ...othersBefore } = before;
    expect(keys).toEqual([{ ...first, name: expected }, ...otherKeys]);
    expect(others).toEqual(othersBefore);
  });

  it('is written to the audit trail and not to the log', async () => {
    await createApiKeys(setup);
    await update({ name: 'canary7f3a' }, 2);
    const details = '[{"field":"name","from":null,"to":"canary7f3a"}]';
    const event = { account_id: 1, action: 'api-key-renamed', target: 2, details };
    expect(await setup.gateway.rows('audit_event')).toMatchObject([event]);
    const logged = setup.gateway.log().filter((line) => line['event']);
    expect(logged).toMatchObject([{ event: 'api-key-renamed', accountId: 1, keyId: 2 }]);
    expect(JSON.stringify(setup.gateway.log())).not.toContain('canary7f3a');
  });
});

describe('a change', () => {
  it('a member left out stays, null clears it', async () => {
    await createApiKeys(setup);
    await update(everything);
    const before = await setup.stored();
    const parts = Object.keys(everything);
    const cleared: Record<string, unknown> = { ...everythingTold };
    const empty: Record<string, unknown> = { ...noParts, name: null, expires_at: null };
    for (const part of parts) {
      cleared[part] = empty[part];
      expect((await update({ [part]: null })).body).toMatchObject(cleared);
    }
    const { api_key: [first, ...others] = [], api_key_quota: quotas } = await setup.stored();
    const { api_key: [, ...othersBefore] = [] } = before;
    expect(first).toMatchObject({
      description: null,
      permissions: null,
      metadata: null,
      allowed_addresses: null,
      rate_limit: null,
    });
    expect(others).toEqual(othersBefore);
    expect(quotas).toMatchObject([{ api_key_id: 1, units: null }]);
  });

  it('an empty list clears permissions and addresses', async () => {
    await createApiKeys(setup);
    await update(everything);
    const { body } = await update({ permissions: [], allowed_addresses: [] });
    expect(body).toMatchObject({ permissions: [], allowed_addresses: [], name: 'Desk' });
    const [stored] = await setup.gateway.rows('api_key');
    expect(stored).toMatchObject({ permissions: null, allowed_addresses: null });
  });

  it('the same values again → nothing is written', async () => {
    await createApiKeys(setup);
    const changed = await update(everything);
    const before = await setup.stored();
    for (const input of [{}, everything, { quota: everything.quota }, { name: ' Desk ' }])
      expect(await update(input)).toMatchObject({ status: 200, text: changed.text });
    expect(await setup.stored()).toEqual(before);
  });

  it('is in the audit trail: each member, from what to what', async () => {
    await createApiKeys(setup);
    await update(everything);
    expect(await newestChanges()).toEqual([
      'api-key-updated',
      [
        { field: 'name', from: 'Laptop', to: 'Desk' },
        { field: 'description', from: null, to: everything.description },
        { field: 'permissions', from: [], to: everything.permissions },
        // It may be about anybody, and the trail is kept for ever.
        { field: 'metadata', from: null, to: null },
        { field: 'allowed_addresses', from: [], to: everything.allowed_addresses },
        { field: 'rate_limit', from: null, to: { limit: 100, window_seconds: 60 } },
        { field: 'expires_at', from: null, to: everything.expires_at },
        { field: 'quota', from: null, to: { limit: 10, refill: 'monthly' } },
      ],
    ]);
    await update({ rate_limit: null, quota: { limit: 10, refill: 'daily' } });
    expect(await newestChanges()).toEqual([
      'api-key-updated',
      [
        { field: 'rate_limit', from: { limit: 100, window_seconds: 60 }, to: null },
        { field: 'quota', from: { limit: 10, refill: 'monthly' }, to: { limit: 10, refill: 'daily' } },
      ],
    ]);
    await update({ name: null });
    expect(await newestChanges()).toEqual(['api-key-renamed', [{ field: 'name', from: 'Desk', to: null }]]);
    expect(JSON.stringify(setup.gateway.log())).not.toContain('theirOwn');
  });

  it('moves the expiry, earlier and later', async () => {
    await createApiKeys(setup);
    for (const expires_at of [
      '2090-01-01T00:00:00.000Z',
      '2080-01-01T00:00:00.000Z',
      '2095-01-01T00:00:00.000Z',
    ])
      expect((await update({ expires_at })).body.expires_at).toBe(expires_at);
  });
});

describe('a quota', () => {
  const stored = async () => (await setup.gateway.rows('api_key_quota'))[0];

  /** Uses of the quota, as the node that counts them writes it. */
  const take = (units: number) =>
    setup.gateway.database.em.fork().execute(`update api_key_quota set taken = ${units}`);

  const ofLimit = (limit: number, refill = 'daily') => ({ quota: { limit, refill } });

  /** Takes a time as that of all clocks. */
  const inTime = async (test: () => Promise<void>) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await setClocks(setup.gateway.database, '2026-12-30T23:59:59.999Z');
    await createApiKeys(setup);
    await test().finally(() => vi.useRealTimers());
  };

  it('changed within its period → what was used stays used', () =>
    inTime(async () => {
      const refillsAt = '2026-12-31T00:00:00.000Z';
      expect((await update(ofLimit(3))).body.quota).toMatchObject({ remaining: 3, refills_at: refillsAt });
      await take(3);
      const first = await stored();
      for (const [limit, remaining] of [
        [10_000, 9997],
        [3, 0],
        [2, 0],
        [4, 1],
      ] as const)
        expect((await update(ofLimit(limit))).body.quota).toEqual({
          ...ofLimit(limit).quota,
          refill: expect.stringMatching(/^daily$/i),
          remaining,
          refills_at: refillsAt,
        });
      expect((await update({ quota: null })).body.quota).toBeNull();
      expect((await update(ofLimit(3))).body.quota).toMatchObject({ remaining: 0, refills_at: refillsAt });
      expect(await stored()).toEqual(first);
    }));

  it('with another refill → the period ends by the new one', () =>
    inTime(async () => {
      await update(ofLimit(3));
      await take(2);
      const { body } = await update(ofLimit(3, 'monthly'));
      expect(body.quota).toMatchObject({ remaining: 1, refills_at: '2027-01-01T00:00:00.000Z' });
      const never = await update(ofLimit(3, 'never'));
      expect(never.body.quota).toMatchObject({ remaining: 1, refills_at: null });
    }));

  it('changed after its period ended → it is full', () =>
    inTime(async () => {
      await update(ofLimit(3));
      await take(3);
      const first = await stored();
      await setClocks(setup.gateway.database, '2026-12-31T12:00:00.000Z');
      const { body } = await update(ofLimit(4));
      expect(body.quota).toMatchObject({ remaining: 4, refills_at: '2027-01-01T00:00:00.000Z' });
      // A lease of the former period is worth nothing.
      expect(await stored()).toMatchObject({ taken: 0, generation: Number(first?.['generation']) + 1 });
    }));

  it('changed five times at once → each change starts from the one before', async () => {
    await createApiKeys(setup);
    const limits = [1, 2, 3, 4, 5];
    await Promise.all(limits.map((limit) => update({ quota: { limit, refill: 'never' } })));
    const events = (await setup.call('GET', '/audit-events')).body;
    // Each is from what the one before has made.
    const steps: Change[] = events.toReversed().map(({ changes: [change] }: { changes: Change[] }) => change);
    expect(steps.map(({ from }) => from)).toEqual([null, ...steps.slice(0, -1).map(({ to }) => to)]);
    expect(steps).toHaveLength(limits.length);
    const { units } = (await stored()) ?? {};
    expect(steps.at(-1)?.to).toEqual({ limit: units, refill: 'never' });
  });
});

describe('changes at once', () => {
  it('of a name → each starts from the one before', async () => {
    await createApiKeys(setup);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => update({ name })));
    const events = (await setup.call('GET', '/audit-events')).body;
    const steps: Change[] = events.toReversed().map(({ changes: [change] }: { changes: Change[] }) => change);
    expect(steps.map(({ from }) => from)).toEqual(['Laptop', ...steps.slice(0, -1).map(({ to }) => to)]);
    expect(steps.map(({ to }) => to).toSorted()).toEqual(names);
  });
});

describe('a key that cannot be used', () => {
  it.each([
    ['API key is inactive', { isActive: false, deactivatedAt: new Date('2026-02-01T00:00:00Z') }],
    ['API key has expired', { expiresAt: new Date('2026-02-01T00:00:00Z') }],
  ])('another name → accepted, anything else → 409: %s', async (message, values) => {
    const alice = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(alice, values);
    expect((await update({ name: 'Old' })).body.name).toBe('Old');
    const before = await setup.stored();
    for (const input of [
      { expires_at: '2099-01-31T12:00:00Z' },
      { name: 'Desk', permissions: ['documents.read'] },
      { quota: { limit: 1, refill: 'never' } },
    ])
      expect(await update(input)).toMatchObject({ status: 409, body: { detail: message } });
    expect(await setup.stored()).toEqual(before);
  });
});

describe('If-Match', () => {
  it('with the tag that was read → 200 and a new tag, with an old tag → 412', async () => {
    await createApiKeys(setup);
    const token = await setup.sign();
    const read = () => setup.gateway.rest('GET', '/auth/keys/1', { token });
    const tag = `${(await read()).headers.get('etag')}`;
    const change = (name: string) =>
      setup.gateway.rest('PATCH', '/auth/keys/1', {
        token,
        json: { permissions: [name] },
        headers: { 'if-match': tag },
      });
    const { status, headers } = await change('documents.read');
    expect([status, headers.get('etag')]).toEqual([200, (await read()).headers.get('etag')]);
    expect(headers.get('etag')).not.toBe(tag);
    expect((await change('documents.write')).status).toBe(412);
    expect((await read()).body.permissions).toEqual(['documents.read']);
  });

  it('the record that was read, sent back → nothing changes', async () => {
    await createApiKeys(setup);
    const token = await setup.sign();
    await setup.gateway.rest('PATCH', '/auth/keys/1', {
      token,
      json: { quota: { limit: 5, refill: 'daily' }, rate_limit: { limit: 1, window_seconds: 1 } },
    });
    const { body } = await setup.gateway.rest('GET', '/auth/keys/1', { token });
    const before = await setup.stored();
    const again = await setup.gateway.rest('PATCH', '/auth/keys/1', { token, json: body });
    expect([again.status, again.body]).toEqual([200, body]);
    expect(await setup.stored()).toEqual(before);
  });
});
