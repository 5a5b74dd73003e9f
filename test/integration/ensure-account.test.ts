import { describe, expect, it } from 'vitest';
import { callerOf, sidesOf, trailOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const issuer = 'https://id.example.com';
const acting = { sub: 'support-tool', scope: 'accounts.act' };

describe.each(sidesOf(setup))('over %s', (_side, call) => {
  it.each([
    ['a server that acts for accounts', 'accounts.act'],
    ['a billing server', 'accounts.entitle'],
    ['an operator', 'keyward.admin'],
  ])('%s creates an account, and a repetition returns it', async (_who, scope) => {
    const person = { issuer, subject: 'zoe' };
    const first = await call('ensureAccount', person, { sub: 'server', scope });
    expect(first).toMatchObject({ code: 'OK', data: { ...person, isBlocked: false } });
    const { userId } = first.data;
    const stored = await setup.stored();
    expect(await call('ensureAccount', person, { sub: 'server', scope })).toEqual(first);
    expect(await setup.stored()).toEqual(stored);
    expect(await trailOf(setup, userId)).toMatchObject([{ action: 'account-created', actor: 'provider' }]);
  });

  it.each(['openid email profile idp.signin.user.admin', 'keys.verify', 'keys.import', ''])(
    '403 with the scopes %j',
    async (scope) => {
      expect(await call('ensureAccount', { issuer, subject: 'zoe' }, { sub: 'server', scope })).toMatchObject(
        {
          code: 'FORBIDDEN',
          message: 'The access token lacks the scope: accounts.act',
        },
      );
      expect(await setup.gateway.rows('account')).toEqual([]);
    },
  );

  it('a blocked account is returned, and said to be', async () => {
    await setup.gateway.createAccount('bob', { blockedAt: new Date() });
    const person = { issuer: setup.issuer.config.issuer, subject: 'bob' };
    expect(await call('ensureAccount', person, acting)).toMatchObject({
      data: { ...person, isBlocked: true },
    });
  });

  it('a blocked server creates no account', async () => {
    await setup.gateway.createAccount('support-tool', { blockedAt: new Date() });
    expect(await call('ensureAccount', { issuer, subject: 'zoe' }, acting)).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await setup.gateway.rows('account')).toHaveLength(1);
  });

  it.each([
    [{ issuer: '', subject: 'zoe' }],
    [{ issuer, subject: '' }],
    [{ issuer, subject: 'z'.repeat(256) }],
    [{ issuer, subject: 'a\0b' }],
    [{ issuer }],
  ])('422 for %j', async (person) => {
    expect(await call('ensureAccount', person, acting)).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await setup.gateway.rows('account')).toEqual([]);
  });
});

it('100 concurrent calls get the same account', async () => {
  const call = callerOf(setup);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => call('ensureAccount', { issuer, subject: 'zoe' }, acting)),
  );
  expect(new Set(answers.map(({ data }) => data.userId)).size).toBe(1);
  expect(await setup.gateway.rows('account')).toHaveLength(1);
});
