import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Account } from '../../src/database/tables.ts';
import { audited } from '../../src/operations/audited.ts';
import { operationContext } from '../support/operation-context.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

describe('a change by a caller', () => {
  it.each(['blocked_at', 'erased_at'])('is refused if %s was set meanwhile', async (column) => {
    const { gateway } = setup;
    const accountId = await gateway.createAccount('alice');
    const keyId = await gateway.createApiKey(accountId);
    const before = await setup.stored();
    const set = CompiledQuery.raw(`update account set ${column} = '2026-01-31 12:00:00' where id = 1`);
    const change = audited(operationContext(gateway, setup.issuer.config.issuer), async (inner) => {
      await inner.db.run(set, Account);
      await inner.db.run(CompiledQuery.raw('update api_key set name = null'), Account);
      inner.events('api-key-renamed', { accountId, keyId });
    });
    await expect(change).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', reason: 'account-changed' });
    expect(await setup.stored()).toEqual(before);
  });
});
