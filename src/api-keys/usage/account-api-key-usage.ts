import { findAccount } from '../../accounts/own-account.ts';
import { GatewayError } from '../../errors.ts';
import { operation } from '../../operations/operation.ts';
import { ApiKeyUsageInput, prepareKeyUsage } from './api-key-usage.ts';
import type { Usage } from './usage-counts.ts';

const usageOfAnyKey = prepareKeyUsage((_: object) => (account) => account('account.erased_at', 'is', null));

/**
 * Counts the verifications of any API key, for an operator.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export const accountApiKeyUsage = operation(ApiKeyUsageInput, async (context, wanted): Promise<Usage> => {
  await findAccount(context);
  const usage = await usageOfAnyKey(context, wanted, {});
  if (!usage) throw new GatewayError('NOT_FOUND', 'API key not found');
  return usage;
});
