import { describe, expect, it } from 'vitest';
import { callerOf, createPeople, operatorOf, sidesOf, trailOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const reason = 'Ticket 42';
const byOperator = { sub: 'olivia', scope: 'keyward.admin' };

describe.each(sidesOf(setup))('over %s', (_side, call) => {
  it('an operator says why, the owner reads it, and cannot resume the key', async () => {
    const { bob } = await createPeople(setup);
    await call('pauseAccountApiKey', { keyId: bob.keyId, reason }, byOperator);
    expect(await call('resumeApiKey', { keyId: bob.keyId }, { sub: 'bob' })).toMatchObject({
      code: 'CONFLICT',
      message: 'An operator paused this API key: only an operator can resume it',
    });
    const { data } = await call('apiKey', { keyId: bob.keyId }, { sub: 'bob' });
    expect(data).toMatchObject({ pausedBy: 'OPERATOR', pauseReason: reason });
  });
});

it("both trails have an operator's pause, and an owner's pause that it takes over", async () => {
  const { bob } = await createPeople(setup);
  const call = callerOf(setup);
  await call('pauseApiKey', { keyId: bob.keyId, reason: 'I wonder' }, { sub: 'bob' });
  await call('pauseAccountApiKey', { keyId: bob.keyId, reason }, byOperator);
  await call('resumeAccountApiKey', { keyId: bob.keyId, reason: 'Done' }, byOperator);
  const olivia = await operatorOf(setup);
  const at = expect.stringMatching(/Z$/);
  const [resumed, taken, paused] = await trailOf(setup, bob.id);
  const changesOf = (row: typeof resumed) => JSON.parse(`${row?.['details']}`);
  expect(paused).toMatchObject({ actor: null, reason: null });
  expect(changesOf(paused)).toEqual([
    { field: 'paused_at', from: null, to: at },
    { field: 'paused_by', from: null, to: 'owner' },
    { field: 'pause_reason', from: null, to: 'I wonder' },
  ]);
  expect(taken).toMatchObject({ action: 'api-key-paused', actor: 'operator', other_id: olivia, reason });
  // It is paused since the same time.
  expect(changesOf(taken)).toEqual([{ field: 'paused_by', from: 'owner', to: 'operator' }]);
  expect(resumed).toMatchObject({ action: 'api-key-resumed', actor: 'operator', reason: 'Done' });
  expect(changesOf(resumed)).toEqual([
    { field: 'paused_at', from: at, to: null },
    { field: 'paused_by', from: 'operator', to: null },
  ]);
  const own = (await trailOf(setup, olivia)).filter(({ action }) => action !== 'account-created');
  expect(own.map(({ action, other_id }) => [action, other_id])).toEqual([
    ['api-key-resumed', bob.id],
    ['api-key-paused', bob.id],
  ]);
});
