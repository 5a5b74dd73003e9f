import type { z } from 'zod';
import { findAccount } from '../../accounts/own-account.ts';
import { GatewayError } from '../../errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import { parseInput } from '../../operations/input.ts';
import { ApiKeyUsageInput, prepareKeyUsage } from './api-key-usage.ts';
import type { Usage } from './usage-counts.ts';

/** The input of {@link accountApiKeyUsage}. */
export const AccountApiKeyUsageInput = ApiKeyUsageInput;

const usageOfAnyKey = prepareKeyUsage((_: object) => (account) => account('account.erased_at', 'is', null));

/**
 * Counts the verifications of any API key, for an operator.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export async function accountApiKeyUsage(
  context: OperationContext,
  input: z.input<typeof AccountApiKeyUsageInput>,
): Promise<Usage> {
  const wanted = parseInput(AccountApiKeyUsageInput, input);
  await findAccount(context);
  const usage = await usageOfAnyKey(context, wanted, {});
  if (!usage) throw new GatewayError('NOT_FOUND', 'API key not found');
  return usage;
}
