import { expect, it } from 'vitest';
import type { ApiKey } from '../../src/database/tables.ts';
import { callerOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const alice = { sub: 'alice' };
const reason = 'Ticket 42';
const byOperator = { sub: 'olivia', scope: 'keyward.admin' };
const pausedAt = new Date('2026-02-28T12:00:00.000Z');

it('an unknown word for who paused a key counts as an operator', async () => {
  const account = await setup.gateway.createAccount('alice');
  const call = callerOf(setup);
  for (const pausedBy of [null, 'OWNER', 'somebody']) {
    const keyId = await setup.gateway.createApiKey(account, { pausedAt, pausedBy } as Partial<ApiKey>);
    expect((await call('apiKey', { keyId }, alice)).data).toMatchObject({ pausedBy: 'OPERATOR' });
    expect(await call('resumeApiKey', { keyId }, alice)).toMatchObject({ code: 'CONFLICT' });
    expect(await call('resumeAccountApiKey', { keyId, reason }, byOperator)).toMatchObject({ code: 'OK' });
  }
});
