import { expect, it } from 'vitest';
import { verify } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const createPaused = async () => {
  const account = await setup.gateway.createAccount('alice');
  const pause = { pausedAt: new Date('2026-02-28T12:00:00.000Z'), pausedBy: 'owner' as const };
  return setup.gateway.createVerifiableKey(account, pause);
};

it('a key that was rotated while it was paused works with all its secrets', async () => {
  const { id, secret } = await createPaused();
  const { body } = await setup.call('POST', `/auth/keys/${id}/rotate`, { grace_seconds: 600 });
  for (const each of [secret, body.key]) expect((await verify(setup, each)).reason).toBe('paused');
  const { body: listed } = await setup.call('GET', `/auth/keys/${id}/secrets`);
  expect(listed).toHaveLength(2);
  await setup.call('POST', `/auth/keys/${id}/resume`);
  for (const each of [secret, body.key]) expect((await verify(setup, each)).valid).toBe(true);
});

it('a stale precondition is refused', async () => {
  const { id } = await createPaused();
  const { headers } = await setup.call('GET', `/auth/keys/${id}`);
  const ifMatch = { 'if-match': `${headers.get('etag')}` };
  const resume = async () =>
    setup.gateway.rest('POST', `/auth/keys/${id}/resume`, { token: await setup.sign(), headers: ifMatch });
  expect((await resume()).status).toBe(200);
  expect((await resume()).status).toBe(412);
});
