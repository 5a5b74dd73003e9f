import { describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import type { AccountId, ApiKey } from '../../src/database/tables.ts';
import type { TokenClaims } from '../support/issuer.ts';
import {
  type CallOperation,
  callerOf,
  createPeople,
  sidesOf,
  trailOf,
  verify,
} from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import type { OperationName } from '../support/two-sides.ts';

const setup = setUpGateway();

const alice = { sub: 'alice' };
const pausedAt = new Date('2026-02-28T12:00:00.000Z');
const since = pausedAt.toISOString();
const over = new Date('2026-03-01T12:00:00.000Z');

/** The states of a key, and how each is stored. */
const states = {
  active: {},
  owner: { pausedAt, pausedBy: 'owner', pauseReason: 'Old' },
  operator: { pausedAt, pausedBy: 'operator', pauseReason: 'Old' },
  scanner: { pausedAt, pausedBy: 'scanner' },
  inactive: { isActive: false, deactivatedAt: over },
  expired: { expiresAt: over },
  'expired while paused': { expiresAt: over, pausedAt, pausedBy: 'owner' },
} satisfies Record<string, Partial<ApiKey>>;

type State = keyof typeof states;

/** The state of a stored key. */
function stateOf(row: Record<string, unknown>): State {
  if (!row['is_active']) {
    expect([row['paused_at'], row['paused_by'], row['pause_reason']]).toEqual([null, null, null]);
    return 'inactive';
  }
  if (row['expires_at'] !== null) return row['paused_at'] === null ? 'expired' : 'expired while paused';
  return row['paused_at'] === null ? 'active' : (row['paused_by'] as State);
}

type Event = readonly [
  what: string,
  operation: OperationName | 'the key',
  input: object,
  caller: TokenClaims,
];

const reason = 'Ticket 42';
const byOperator = { sub: 'olivia', scope: 'keyward.admin' };

const events: readonly Event[] = [
  ['its owner pauses it', 'pauseApiKey', {}, alice],
  ['an operator pauses it', 'pauseAccountApiKey', { reason }, byOperator],
  ['its owner resumes it', 'resumeApiKey', {}, alice],
  ['an operator resumes it', 'resumeAccountApiKey', { reason }, byOperator],
  ['its owner rotates it', 'rotateApiKey', {}, alice],
  ['its owner changes it', 'updateApiKey', { permissions: ['documents.read'] }, alice],
  ['its owner makes it the default', 'setDefaultApiKey', {}, alice],
  ['its owner deactivates it', 'deactivateApiKey', {}, alice],
  ['an operator deactivates it', 'deactivateAccountApiKey', { reason }, byOperator],
  ['it deactivates itself', 'the key', {}, alice],
];

/** The outcomes of what only a key that may work again allows, and that leaves its pause as it is. */
const changesNoState: Readonly<Record<State, string>> = {
  active: '→ active',
  owner: '→ owner',
  operator: '→ operator',
  scanner: '→ scanner',
  inactive: 'CONFLICT',
  expired: 'CONFLICT',
  'expired while paused': 'CONFLICT',
};

/** What an event makes of each state: the next one, and whether it is recorded; or the error. */
const outcomes: Readonly<Record<string, Readonly<Record<State, string>>>> = {
  'its owner pauses it': {
    active: '→ owner',
    owner: '= owner',
    operator: '= operator',
    scanner: '= scanner',
    inactive: 'CONFLICT',
    expired: 'CONFLICT',
    'expired while paused': 'CONFLICT',
  },
  'an operator pauses it': {
    active: '→ operator',
    owner: '→ operator',
    operator: '= operator',
    scanner: '→ operator',
    inactive: 'CONFLICT',
    expired: 'CONFLICT',
    'expired while paused': 'CONFLICT',
  },
  'its owner resumes it': {
    active: '= active',
    owner: '→ active',
    operator: 'CONFLICT',
    scanner: '→ active',
    inactive: 'CONFLICT',
    expired: 'CONFLICT',
    'expired while paused': 'CONFLICT',
  },
  'an operator resumes it': {
    active: '= active',
    owner: '→ active',
    operator: '→ active',
    scanner: '→ active',
    inactive: 'CONFLICT',
    expired: 'CONFLICT',
    'expired while paused': 'CONFLICT',
  },
  'its owner rotates it': changesNoState,
  'its owner changes it': changesNoState,
  'its owner makes it the default': {
    active: '→ active',
    owner: 'CONFLICT',
    operator: 'CONFLICT',
    scanner: 'CONFLICT',
    inactive: 'CONFLICT',
    expired: 'CONFLICT',
    'expired while paused': 'CONFLICT',
  },
  'its owner deactivates it': {
    active: '→ inactive',
    owner: '→ inactive',
    operator: '→ inactive',
    scanner: '→ inactive',
    inactive: '= inactive',
    expired: '→ inactive',
    'expired while paused': '→ inactive',
  },
  'an operator deactivates it': {
    active: '→ inactive',
    owner: '→ inactive',
    operator: '→ inactive',
    scanner: '→ inactive',
    inactive: '= inactive',
    expired: '→ inactive',
    'expired while paused': '→ inactive',
  },
  'it deactivates itself': {
    active: '→ inactive',
    owner: 'UNAUTHENTICATED',
    operator: 'UNAUTHENTICATED',
    scanner: 'UNAUTHENTICATED',
    inactive: 'UNAUTHENTICATED',
    expired: 'UNAUTHENTICATED',
    'expired while paused': 'UNAUTHENTICATED',
  },
};

/** The reason for refusing a key in a state. */
const reasons: Readonly<Record<State, string | null>> = {
  active: null,
  owner: 'paused',
  operator: 'paused',
  scanner: 'paused',
  inactive: 'inactive',
  expired: 'expired',
  'expired while paused': 'expired',
};

const rowOf = async (id: number) =>
  (await setup.gateway.rows('api_key')).find((row) => row['id'] === id) as Record<string, unknown>;

/** The events of a key in its owner's trail. */
const eventsOf = async (id: number) =>
  (await setup.gateway.rows('audit_event')).filter(
    ({ target, actor, other_id }) => target === id && (actor !== null || other_id === null),
  );

async function run(call: CallOperation, [, operation, input, caller]: Event, id: number, secret: string) {
  if (operation !== 'the key') return call(operation, { keyId: id, ...input }, caller);
  const { status } = await setup.gateway.rest('DELETE', '/keys/self', { headers: { 'x-api-key': secret } });
  return { code: status === 200 ? 'OK' : status === 401 ? 'UNAUTHENTICATED' : `${status}` };
}

/** Makes a key in a state, and lets the event happen to it. Returns what comes of it, as in {@link outcomes}. */
async function outcomeOf(call: CallOperation, event: Event, state: State, account: AccountId) {
  const { id, secret } = await setup.gateway.createVerifiableKey(account, states[state]);
  expect((await verify(setup, secret)).reason).toBe(reasons[state]);
  const { code } = await run(call, event, id, secret);
  const after = stateOf(await rowOf(id));
  const recorded = await eventsOf(id);
  expect(recorded.length).toBeLessThanOrEqual(1);
  // A rotation has ended the secret; otherwise nothing but the state decides.
  if (event[1] !== 'rotateApiKey') expect((await verify(setup, secret)).reason).toBe(reasons[after]);
  if (code === 'OK') return `${recorded.length === 1 ? '→' : '='} ${after}`;
  expect([recorded, after]).toEqual([[], state]);
  return code;
}

describe.each(sidesOf(setup))('over %s', (_side, call) => {
  it.each(events)('%s, in every state', async (...event) => {
    const account = await setup.gateway.createAccount('alice');
    const found: Record<string, string> = {};
    for (const state of Object.keys(states) as State[])
      found[state] = await outcomeOf(call, event, state, account);
    expect(found).toEqual(outcomes[event[0]]);
  });

  it('the record says since when, by whom and why; a repetition changes nothing', async () => {
    const account = await setup.gateway.createAccount('alice');
    const keyId = await setup.gateway.createApiKey(account);
    const first = await call('pauseApiKey', { keyId, reason: ' I am not sure ' }, alice);
    expect(first).toMatchObject({
      code: 'OK',
      data: {
        ...{ id: keyId, isActive: true, deactivatedAt: null },
        pausedAt: expect.stringMatching(/Z$/),
        ...{ pausedBy: 'OWNER', pauseReason: 'I am not sure' },
      },
    });
    const stored = await setup.stored();
    expect(await call('pauseApiKey', { keyId, reason: 'Another' }, alice)).toEqual(first);
    expect(await setup.stored()).toEqual(stored);
    const resumed = await call('resumeApiKey', { keyId }, alice);
    expect(resumed.data).toMatchObject({ pausedAt: null, pausedBy: null, pauseReason: null });
    expect(await call('resumeApiKey', { keyId }, alice)).toEqual(resumed);
    expect((await trailOf(setup, account)).map(({ action }) => action)).toEqual([
      'api-key-resumed',
      'api-key-paused',
    ]);
  });

  it.each([
    ['pauseApiKey', alice, '', 'a'.repeat(201)],
    ['pauseAccountApiKey', byOperator, undefined, ' ', 'a'.repeat(501)],
    ['resumeAccountApiKey', byOperator, undefined, ' ', 'a'.repeat(501)],
  ] as const)('%s refuses a bad reason', async (operation, caller, ...bad) => {
    const account = await setup.gateway.createAccount('alice');
    const keyId = await setup.gateway.createApiKey(account);
    const stored = await setup.stored();
    for (const given of bad)
      expect(
        await call(operation, { keyId, ...(given !== undefined && { reason: given }) }, caller),
      ).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await setup.stored()).toEqual(stored);
  });

  it("404 for an unknown key, and for another person's", async () => {
    const { bob } = await createPeople(setup);
    for (const operation of ['pauseApiKey', 'resumeApiKey'] as const) {
      const answers: unknown[] = [];
      for (const keyId of [bob.keyId, 999, 0, -1]) answers.push(await call(operation, { keyId }, alice));
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect(answers[0]).toMatchObject({ code: 'NOT_FOUND', message: 'API key not found' });
    }
    for (const operation of ['pauseAccountApiKey', 'resumeAccountApiKey'] as const)
      expect(await call(operation, { keyId: 999, reason }, byOperator)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a paused key', () => {
  const createPaused = async (values: Partial<ApiKey> = {}) => {
    const account = await setup.gateway.createAccount('alice');
    return { account, ...(await setup.gateway.createVerifiableKey(account, { ...states.owner, ...values })) };
  };
  const token = () => setup.sign();

  it('is refused by a proxy with the same answer as a text that is no key', async () => {
    const { secret } = await createPaused();
    const [paused, wrong] = await Promise.all(
      [secret, createApiKeySecret()].map((key) =>
        setup.gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': key } }),
      ),
    );
    expect(paused?.status).toBe(401);
    expect(paused?.body).toEqual(wrong?.body);
    expect(paused?.headers.get('www-authenticate')).toBe(wrong?.headers.get('www-authenticate'));
  });

  it('a previous secret whose grace is over is refused for that, and a blocked account comes later', async () => {
    const { id, secret, account } = await createPaused();
    const former = createApiKeySecret();
    await setup.gateway.addSecret(id, former, new Date(0));
    expect((await verify(setup, former)).reason).toBe('rotated');
    await callerOf(setup)('blockAccount', { id: account, reason }, byOperator);
    expect((await verify(setup, secret)).reason).toBe('paused');
  });

  it('takes no unit of its quota, and counts towards no limit', async () => {
    const { id, secret } = await createPaused({ rateLimit: 10, rateLimitWindow: 60 });
    await setup.gateway.createQuota(id, { units: 5 });
    await verify(setup, secret);
    await callerOf(setup)('resumeApiKey', { keyId: id }, alice);
    expect(await verify(setup, secret)).toMatchObject({
      rate_limit: { remaining: 9 },
      quota: { remaining: 4 },
    });
  });

  it('its refusals are counted as such', async () => {
    const { id, secret } = await createPaused();
    await verify(setup, secret);
    await setup.gateway.keyUsage.write();
    const { body } = await setup.call('GET', `/auth/keys/${id}/usage`);
    expect(body.counts).toMatchObject([{ outcome: 'paused', count: 1 }]);
  });

  it('a pause that is sent again with its Idempotency-Key after a resumption does nothing', async () => {
    const { id, secret } = await createPaused({ pausedAt: null, pausedBy: null, pauseReason: null });
    const pause = async () =>
      setup.gateway.rest('POST', `/auth/keys/${id}/pause`, {
        token: await token(),
        headers: { 'idempotency-key': 'k1' },
      });
    const first = await pause();
    await setup.call('POST', `/auth/keys/${id}/resume`);
    const again = await pause();
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    expect((await verify(setup, secret)).valid).toBe(true);
  });

  it('counts as an active key', async () => {
    const { account } = await createPaused();
    const overrides = { max_active_keys: 1 };
    await callerOf(setup)('setEntitlement', { userId: account, overrides, reason }, byOperator);
    expect((await setup.call('GET', '/auth/keys?is_active=true')).body).toHaveLength(1);
    expect((await setup.call('POST', '/auth/keys', {})).status).toBe(409);
  });

  it('is not used by default', async () => {
    const { account } = await createPaused({ isDefault: true });
    expect((await setup.call('GET', '/auth/keys/default')).body).toBeNull();
    const other = await setup.gateway.createApiKey(account);
    expect((await setup.call('GET', '/auth/keys/default')).body).toMatchObject({ id: other });
  });

  it('REST names the pause only of paused keys', async () => {
    const { id, account } = await createPaused();
    const active = await setup.gateway.createApiKey(account);
    const names = ['paused_at', 'paused_by', 'pause_reason'];
    const namesIn = (body: object) => names.filter((name) => Object.hasOwn(body, name));
    const { body: one } = await setup.call('GET', `/auth/keys/${id}`);
    expect(one).toMatchObject({ paused_at: since, paused_by: 'owner', pause_reason: 'Old' });
    const { body: other, headers } = await setup.call('GET', `/auth/keys/${active}`);
    expect(namesIn(other)).toEqual([]);
    const { body: all } = await setup.call('GET', '/auth/keys');
    expect(all.map(namesIn)).toEqual([[], names]);
    const { body: scanned } = await setup.call('POST', `/auth/keys/${id}/resume`);
    expect(namesIn(scanned)).toEqual([]);
    // The entity tag is that of the record as it was answered.
    const unchanged = await setup.gateway.rest('DELETE', `/auth/keys/${active}`, {
      token: await token(),
      headers: { 'if-match': `${headers.get('etag')}` },
    });
    expect(unchanged.status).toBe(200);
    expect(namesIn(unchanged.body)).toEqual([]);
    const withNoReason = await setup.gateway.createApiKey(account, states.scanner);
    expect((await setup.call('GET', `/auth/keys/${withNoReason}`)).body).toMatchObject({
      paused_by: 'scanner',
    });
  });
});

it('of 100 concurrent pauses, resumes and deactivations, each transition is recorded once, in an order that explains the end', async () => {
  const account = await setup.gateway.createAccount('alice');
  const { id: keyId, secret } = await setup.gateway.createVerifiableKey(account);
  const call = callerOf(setup);
  // The operator's account exists before, so that nothing but the key is contended for.
  await call('pauseAccountApiKey', { keyId: await setup.gateway.createApiKey(account), reason }, byOperator);
  const kinds = [
    () => call('pauseApiKey', { keyId }, alice),
    () => call('resumeApiKey', { keyId }, alice),
    () => call('pauseAccountApiKey', { keyId, reason }, byOperator),
    () => call('resumeAccountApiKey', { keyId, reason }, byOperator),
  ];
  const calls = Array.from({ length: 100 }, (_, at) =>
    at === 60 ? call('deactivateApiKey', { keyId }, alice) : (kinds[at % 4] as (typeof kinds)[number])(),
  );
  const codes = (await Promise.all(calls)).map(({ code }) => code);
  expect(codes.filter((code) => code !== 'OK' && code !== 'CONFLICT')).toEqual([]);
  let state: State = 'active';
  for (const { action, details } of await eventsOf(keyId)) {
    const changes = JSON.parse(`${details}`) as { field: string; from: unknown; to: unknown }[];
    const by = changes.find(({ field }) => field === 'paused_by');
    expect(state).not.toBe('inactive');
    if (action === 'api-key-deactivated') state = 'inactive';
    else {
      expect(by?.from ?? 'active').toBe(state);
      expect(by?.to).not.toBe(by?.from);
      state = (by?.to ?? 'active') as State;
    }
  }
  expect(state).toBe('inactive');
  expect(stateOf(await rowOf(keyId))).toBe('inactive');
  expect((await verify(setup, secret)).reason).toBe('inactive');
});
