import { signedIn } from '../../auth/scopes.ts';
import { type ArgumentBuilder, builder, runs } from '../../graphql/builder.ts';
import { ApiKeyType, keyIdArgument } from '../api-key-types.graphql.ts';
import { verificationFailures } from '../verify/verify-secret.ts';
import { apiKeyUsage } from './api-key-usage.ts';
import { apiKeysUsage } from './api-keys-usage.ts';
import { type DailyUse, dailyUseOf, shownDays } from './daily-use.ts';
import { longestRange, mostCounts, mostPeriods, type Usage, type UsageCount } from './usage-counts.ts';

/** What verifications are counted by. */
const UsagePeriodType = builder.enumType('UsagePeriod', {
  description: 'The length of a period in which verifications are counted.',
  values: {
    HOUR: { description: `Hours. The range is at most ${longestRange.HOUR} days.` },
    DAY: { description: `Days in UTC. The range is at most ${longestRange.DAY} days.` },
  },
});

const UsageCountType = builder.objectRef<UsageCount>('UsageCount').implement({
  description: 'The number of verifications in one hour or day with one outcome.',
  fields: (t) => ({
    at: t.expose('at', {
      type: 'DateTime',
      description: 'Start of the hour or day.',
      example: '2026-01-31T12:00:00.000Z',
    }),
    outcome: t.exposeString('outcome', {
      description: 'The outcome: `valid`, or the `reason` of the refusals. More reasons may be added.',
      example: 'valid',
    }),
    count: t.exposeInt('count', {
      description: 'Number of verifications. 2147483647 means that many or more.',
      example: 1200,
    }),
  }),
});

/** The most bytes of a list with a count for each day, as JSON. */
const mostDaysBytes = 2 + shownDays * 11;

/** The most bytes of a list with each reason once, as JSON. */
const mostReasonsBytes = JSON.stringify(verificationFailures).length;

const DailyUseType = builder.objectRef<DailyUse>('ApiKeyDailyUse').implement({
  description: `How often an API key was verified on each of the last ${shownDays} days (UTC), the oldest first and today last. 2147483647 means that many or more.`,
  fields: (t) => ({
    allowed: t.exposeIntList('allowed', {
      description: 'Verifications that passed, for each day.',
      mostBytes: mostDaysBytes,
      example: [1200, 1150],
    }),
    refused: t.exposeIntList('refused', {
      description: 'Refused verifications, for each day.',
      mostBytes: mostDaysBytes,
      example: [3, 0],
    }),
    reasons: t.stringList({
      description: 'Why verifications were refused, the most frequent reason first.',
      mostBytes: mostReasonsBytes,
      example: ['rate_limited'],
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
});

builder.objectField(ApiKeyType, 'dailyUse', (t) =>
  t.field({
    type: DailyUseType,
    description: `How often the key was verified on each of the last ${shownDays} days, up to 30 seconds late.`,
    notInRest: true,
    resolve: ({ id }, _args, { db }) => dailyUseOf(db, id),
  }),
);

/** How often API keys were verified. */
export const ApiKeyUsageType = builder.objectRef<Usage>('ApiKeyUsage').implement({
  description:
    'Counts of verifications. They appear up to 30 seconds late and are kept as long as the operator sets (default: 90 days).',
  fields: (t) => ({
    from: t.expose('from', {
      type: 'DateTime',
      description: 'Start of the range. Hours that begin at or after it are counted.',
      example: '2026-01-31T00:00:00.000Z',
    }),
    to: t.expose('to', {
      type: 'DateTime',
      description: 'End of the range. Hours that begin at or after it are not counted.',
      example: '2026-02-01T00:00:00.000Z',
    }),
    counts: t.field({
      type: [UsageCountType],
      description: 'The counts, oldest first. Counts of 0 are left out.',
      atMost: mostCounts,
      usually: mostPeriods,
      resolve: ({ counts }) => [...counts],
    }),
  }),
});

/** The arguments that select the time. */
export const rangeArguments = ({ arg }: ArgumentBuilder) => ({
  from: arg({
    type: 'DateTime',
    description: 'Start of the range: only hours that begin at or after it. Default: 24 hours before `to`.',
    example: '2026-01-31T00:00:00Z',
  }),
  to: arg({
    type: 'DateTime',
    description: 'End of the range: only hours that begin before it. Default: now.',
    example: '2026-02-01T00:00:00Z',
  }),
  by: arg({
    type: UsagePeriodType,
    description: `The period of each count. Default: hours. The range is at most ${longestRange.HOUR} days by hour and ${longestRange.DAY} days by day.`,
    example: 'HOUR',
  }),
});

builder.queryFields((t) => ({
  apiKeyUsage: t.field({
    type: ApiKeyUsageType,
    description: 'Counts the verifications of one of your API keys, by outcome.',
    summary: 'Count uses of a key',
    requiredScopes: signedIn,
    args: { ...keyIdArgument(t), ...rangeArguments(t) },
    ...runs(apiKeyUsage),
  }),
  apiKeysUsage: t.field({
    type: ApiKeyUsageType,
    description: 'Counts the verifications of all your API keys together, by outcome.',
    summary: 'Count uses of all keys',
    requiredScopes: signedIn,
    args: rangeArguments(t),
    ...runs(apiKeysUsage),
  }),
}));
