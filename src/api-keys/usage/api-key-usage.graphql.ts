import { signedIn } from '../../auth/scopes.ts';
import { builder } from '../../graphql/builder.ts';
import { keyIdArgument } from '../api-key-types.graphql.ts';
import { ApiKeyUsageInput, apiKeyUsage } from './api-key-usage.ts';
import { ApiKeysUsageInput, apiKeysUsage } from './api-keys-usage.ts';
import { longestRange, mostCounts, mostPeriods, type Usage, type UsageCount } from './usage-counts.ts';

/** What verifications are counted by. */
export const UsagePeriodType = builder.enumType('UsagePeriod', {
  description: 'What verifications are counted by.',
  values: {
    HOUR: { description: `By the hour. The range is at most ${longestRange.HOUR} days.` },
    DAY: { description: `By the day, in UTC. The range is at most ${longestRange.DAY} days.` },
  },
});

const UsageCountType = builder.objectRef<UsageCount>('UsageCount').implement({
  description: 'How often API keys were verified in an hour or a day, with one outcome.',
  fields: (t) => ({
    at: t.expose('at', {
      type: 'DateTime',
      description: 'When that hour or day begins.',
      example: '2026-01-31T12:00:00.000Z',
    }),
    outcome: t.exposeString('outcome', {
      description:
        'What it came to: `valid`, or the reason why the key let nobody in, as a verification answers it. There may be more reasons than you know.',
      example: 'valid',
    }),
    count: t.exposeInt('count', {
      description: 'How often; 2147483647 stands for that and more.',
      example: 1200,
    }),
  }),
});

/** How often API keys were verified. */
export const ApiKeyUsageType = builder.objectRef<Usage>('ApiKeyUsage').implement({
  description:
    'How often API keys were verified. It is written up to 30 seconds late, and kept for as long as the operator has set.',
  fields: (t) => ({
    from: t.expose('from', {
      type: 'DateTime',
      description: 'Where the range begins: the hours that begin from then on are counted.',
      example: '2026-01-31T00:00:00.000Z',
    }),
    to: t.expose('to', {
      type: 'DateTime',
      description: 'Where it ends: hours that begin from then on are not.',
      example: '2026-02-01T00:00:00.000Z',
    }),
    counts: t.field({
      type: [UsageCountType],
      description: 'In order of time. What there was none of is left out.',
      atMost: mostCounts,
      usually: mostPeriods,
      resolve: ({ counts }) => [...counts],
    }),
  }),
});

/** The arguments that select the time. */
export const rangeArguments = {
  from: {
    description: 'Only hours that begin from then on. Left out: 24 hours before the end.',
    example: '2026-01-31T00:00:00Z',
  },
  to: {
    description: 'Only hours that begin before this moment. Left out: now.',
    example: '2026-02-01T00:00:00Z',
  },
  by: {
    description: `What is added up. Left out: hours. A range is at most ${longestRange.HOUR} days by hours, and ${longestRange.DAY} by days.`,
  },
} as const;

builder.queryField('apiKeyUsage', (t) =>
  t.field({
    type: ApiKeyUsageType,
    description: 'How often one of your API keys was verified, and what that came to.',
    requiredScopes: signedIn,
    input: () => ApiKeyUsageInput,
    args: {
      ...keyIdArgument(t),
      from: t.arg({ type: 'DateTime', ...rangeArguments.from }),
      to: t.arg({ type: 'DateTime', ...rangeArguments.to }),
      by: t.arg({ type: UsagePeriodType, ...rangeArguments.by, example: 'HOUR' }),
    },
    resolve: (_root, input, context) => apiKeyUsage(context, input),
  }),
);

builder.queryField('apiKeysUsage', (t) =>
  t.field({
    type: ApiKeyUsageType,
    description: 'How often your API keys were verified, all together, and what that came to.',
    requiredScopes: signedIn,
    input: () => ApiKeysUsageInput,
    args: {
      from: t.arg({ type: 'DateTime', ...rangeArguments.from }),
      to: t.arg({ type: 'DateTime', ...rangeArguments.to }),
      by: t.arg({ type: UsagePeriodType, ...rangeArguments.by, example: 'HOUR' }),
    },
    resolve: (_root, input, context) => apiKeysUsage(context, input),
  }),
);
