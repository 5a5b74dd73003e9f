import { accountIdArgument } from '../../accounts/arguments.ts';
import { operator } from '../../auth/scopes.ts';
import { builder, runs } from '../../graphql/builder.ts';
import { keyIdArgument } from '../api-key-types.graphql.ts';
import { accountApiKeyUsage } from './account-api-key-usage.ts';
import { accountUsage } from './account-usage.ts';
import { ApiKeyUsageType, rangeArguments } from './api-key-usage.graphql.ts';

builder.queryFields((t) => ({
  accountApiKeyUsage: t.field({
    type: ApiKeyUsageType,
    description: "Counts the verifications of anyone's API key, by outcome. For operators.",
    summary: "Count uses of anyone's key",
    requiredScopes: operator,
    args: { ...keyIdArgument(t), ...rangeArguments(t) },
    ...runs(accountApiKeyUsage),
  }),
  accountUsage: t.field({
    type: ApiKeyUsageType,
    description:
      'Counts the verifications of all API keys of an account together, by outcome. For operators.',
    summary: "Count an account's uses",
    requiredScopes: operator,
    args: { id: t.arg.int(accountIdArgument), ...rangeArguments(t) },
    ...runs(accountUsage),
  }),
}));
