import { builder } from '../graphql/builder.ts';
import type { RateLimitState, SharedLimitsLeft } from './shared-limits.ts';

/** What is left of a rate limit: of a key's own, or of its account's. */
export const RateLimitStateType = builder.objectRef<RateLimitState>('RateLimitState').implement({
  description: 'What is left of a rate limit.',
  fields: (t) => ({
    limit: t.exposeInt('limit', {
      description: 'Verifications per window.',
      example: 100,
    }),
    remaining: t.exposeInt('remaining', {
      description: 'Verifications left in this window.',
      example: 99,
    }),
    resetsAt: t.expose('resetsAt', {
      type: 'DateTime',
      description: 'When the window ends.',
      example: '2026-01-31T12:01:00.000Z',
    }),
  }),
});

/** What is left of a quota: of a key's own, or of its account's. */
export const QuotaStateType = builder
  .objectRef<NonNullable<SharedLimitsLeft['quota']>>('QuotaState')
  .implement({
    description: 'What is left of a quota.',
    fields: (t) => ({
      limit: t.exposeInt('limit', {
        description: 'Units per period.',
        example: 10_000,
      }),
      remaining: t.exposeInt('remaining', {
        description: 'Units left in this period. Units reserved by other Keyward nodes count as used.',
        example: 9999,
      }),
      refillsAt: t.expose('refillsAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When the quota next refills. Null if it never does.',
        example: '2026-02-01T00:00:00.000Z',
      }),
    }),
  });
