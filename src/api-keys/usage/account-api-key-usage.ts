import { findAccount } from '../../accounts/own-account.ts';
import { ApiKeyUse } from '../../database/tables.ts';
import { GatewayError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { ApiKeyUsageInput, type KeyUses, selectKeyUses } from './api-key-usage.ts';
import { prepareUsage, type Usage } from './usage-counts.ts';

const usageOfAny = prepareUsage(ApiKeyUse, 'api_key_use', (db, wanted: KeyUses) =>
  selectKeyUses(db, wanted).where('account.erased_at', 'is', null),
);

/**
 * Counts the verifications of any API key, for an operator.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export const accountApiKeyUsage = operation(
  ApiKeyUsageInput,
  async (context, { keyId, ...range }): Promise<Usage> => {
    await findAccount(context);
    const usage = await usageOfAny(context, range, { keyId });
    if (!usage.isFound) throw new GatewayError('NOT_FOUND', 'API key not found');
    return usage;
  },
);
