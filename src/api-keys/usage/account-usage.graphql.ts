import { operator } from '../../auth/scopes.ts';
import { builder } from '../../graphql/builder.ts';
import { keyIdArgument } from '../api-key-types.graphql.ts';
import { AccountApiKeyUsageInput, accountApiKeyUsage } from './account-api-key-usage.ts';
import { AccountUsageInput, accountUsage } from './account-usage.ts';
import { ApiKeyUsageType, rangeArguments, UsagePeriodType } from './api-key-usage.graphql.ts';

builder.queryField('accountApiKeyUsage', (t) =>
  t.field({
    type: ApiKeyUsageType,
    description: "How often anybody's API key was verified, and with which outcomes. For operators.",
    requiredScopes: operator,
    input: () => AccountApiKeyUsageInput,
    args: {
      ...keyIdArgument(t),
      from: t.arg({ type: 'DateTime', ...rangeArguments.from }),
      to: t.arg({ type: 'DateTime', ...rangeArguments.to }),
      by: t.arg({ type: UsagePeriodType, ...rangeArguments.by, example: 'HOUR' }),
    },
    resolve: (_root, input, context) => accountApiKeyUsage(context, input),
  }),
);

builder.queryField('accountUsage', (t) =>
  t.field({
    type: ApiKeyUsageType,
    description:
      'How often all API keys of an account were verified, and with which outcomes. For operators.',
    requiredScopes: operator,
    input: () => AccountUsageInput,
    args: {
      id: t.arg.int({ required: true, description: 'Identifier of the account.', example: 1 }),
      from: t.arg({ type: 'DateTime', ...rangeArguments.from }),
      to: t.arg({ type: 'DateTime', ...rangeArguments.to }),
      by: t.arg({ type: UsagePeriodType, ...rangeArguments.by, example: 'HOUR' }),
    },
    resolve: (_root, input, context) => accountUsage(context, input),
  }),
);
