import { builder } from '../graphql/builder.ts';
import type { RateLimitState, SharedLimitsLeft } from './shared-limits.ts';

/** What is left of a rate limit: of a key's own, or of its account's. */
export const RateLimitStateType = builder.objectRef<RateLimitState>('RateLimitState').implement({
  description: 'What is left of a rate limit.',
  fields: (t) => ({
    limit: t.exposeInt('limit', {
      description: 'How many verifications a window has.',
      example: 100,
    }),
    remaining: t.exposeInt('remaining', {
      description: 'How many more of them would pass in this one.',
      example: 99,
    }),
    resetsAt: t.expose('resetsAt', {
      type: 'DateTime',
      description: 'When it ends.',
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
        description: 'How many units a period has.',
        example: 10_000,
      }),
      remaining: t.exposeInt('remaining', {
        description:
          'How many of them are left after this. Units that other nodes of Keyward have set aside count as used.',
        example: 9999,
      }),
      refillsAt: t.expose('refillsAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it is full again; null: never.',
        example: '2026-02-01T00:00:00.000Z',
      }),
    }),
  });
