import { builder, type FieldBuilder, timeOrNull } from '../graphql/builder.ts';
import type { Entitlement } from './entitlement-of.ts';
import type { OwnEntitlement } from './my-entitlement.ts';

/** The fields of a rate limit: of a key's own, or of its account's. */
export const rateLimitFields = (t: FieldBuilder<NonNullable<Entitlement['rateLimit']>>) => ({
  limit: t.exposeInt('limit', { description: 'Verifications per window.', example: 100 }),
  windowSeconds: t.exposeInt('windowSeconds', {
    description: 'Length of the window, in seconds.',
    example: 60,
  }),
});

/** When a quota is full again. */
export const QuotaRefill = builder.enumType('QuotaRefill', {
  description: 'When a quota refills.',
  values: {
    NEVER: { value: 'never', description: 'Never. Quota that has been used is not refunded.' },
    DAILY: { value: 'daily', description: 'Every day at 00:00 UTC.' },
    MONTHLY: { value: 'monthly', description: 'On the first day of every month at 00:00 UTC.' },
  } as const,
});

/** The fields of a quota: of a key's own, or of its account's. */
export const quotaFields = (t: FieldBuilder<NonNullable<Entitlement['quota']>>) => ({
  limit: t.exposeInt('limit', { description: 'Units per period.', example: 10_000 }),
  refill: t.expose('refill', {
    type: QuotaRefill,
    description: 'When the quota refills.',
    example: 'MONTHLY',
  }),
});

/** What is left of a rate limit: of a key's own, or of its account's. */
export const RateLimitStateType = builder
  .objectRef<NonNullable<OwnEntitlement['rate']>>('RateLimitState')
  .implement({
    description: 'What is left of a rate limit.',
    fields: (t) => ({
      limit: t.int({
        description: 'Verifications per window.',
        example: 100,
        resolve: ({ rate }) => rate.requests,
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
  .objectRef<NonNullable<OwnEntitlement['quota']>>('QuotaState')
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
        ...timeOrNull,
        description: 'When the quota next refills. Null if it never does.',
        example: '2026-02-01T00:00:00.000Z',
      }),
    }),
  });

/**
 * The fields for what is left of an account's limits.
 * @param keys the keys that share them
 */
export const sharedLeftFields = (t: FieldBuilder<Pick<OwnEntitlement, 'rate' | 'quota'>>, keys: string) => ({
  rateLimit: t.expose('rate', {
    type: RateLimitStateType,
    nullable: true,
    description: `What is left of the rate limit shared by all ${keys}. Null if there is none.`,
  }),
  quota: t.expose('quota', {
    type: QuotaStateType,
    nullable: true,
    description: `What is left of the quota shared by all ${keys}. Null if there is none.`,
  }),
});
