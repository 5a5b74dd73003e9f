import { accountEntitler, signedIn } from '../auth/scopes.ts';
import { type ArgumentBuilder, builder } from '../graphql/builder.ts';
import { EntitlementInput, type EntitlementRecord, entitlement } from './entitlement.ts';
import type { Entitlement } from './entitlement-of.ts';
import { QuotaStateType, RateLimitStateType } from './limit-state.graphql.ts';
import { myEntitlement, type OwnEntitlement } from './my-entitlement.ts';
import { mostBytesOf } from './plan.ts';
import { SetEntitlementInput, setEntitlement } from './set-entitlement.ts';
import { SetEntitlementBySubjectInput, setEntitlementBySubject } from './set-entitlement-by-subject.ts';

/** When a quota is full again. */
export const QuotaRefill = builder.enumType('QuotaRefill', {
  description: 'When a quota is full again.',
  values: {
    NEVER: { value: 'never', description: 'It is not: what is used is used.' },
    DAILY: { value: 'daily', description: 'Each day at 00:00 UTC.' },
    MONTHLY: { value: 'monthly', description: 'On the first day of each month at 00:00 UTC.' },
  } as const,
});

const GrantedRateLimit = builder
  .objectRef<NonNullable<Entitlement['rateLimit']>>('GrantedRateLimit')
  .implement({
    description: 'How often all API keys of an account together may be verified.',
    fields: (t) => ({
      limit: t.exposeInt('limit', { description: 'How many verifications a window has.', example: 100 }),
      windowSeconds: t.exposeInt('windowSeconds', {
        description: 'Length of a window in seconds.',
        example: 60,
      }),
    }),
  });

const GrantedQuota = builder.objectRef<NonNullable<Entitlement['quota']>>('GrantedQuota').implement({
  description: 'How much all API keys of an account together may be used.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'How many units a period has.', example: 10_000 }),
    refill: t.expose('refill', {
      type: QuotaRefill,
      description: 'When it is full again.',
      example: 'MONTHLY',
    }),
  }),
});

/** What the provider grants. */
const GrantType = builder.objectRef<Entitlement>('Grant').implement({
  description: 'What the provider grants an account, whatever its owner gives an API key.',
  fields: (t) => ({
    permissions: t.exposeStringList('permissions', {
      nullable: true,
      description:
        'The most that its keys may do: names and wildcards. Empty: nothing; null: there is no bound.',
      example: ['documents.*'],
      mostBytes: mostBytesOf.permissions,
    }),
    rateLimit: t.expose('rateLimit', {
      type: GrantedRateLimit,
      nullable: true,
      description: 'How often all its keys together may be verified; null: there is no bound.',
    }),
    quota: t.expose('quota', {
      type: GrantedQuota,
      nullable: true,
      description: 'How much all its keys together may be used; null: there is no bound.',
    }),
    maxActiveKeys: t.exposeInt('maxActiveKeys', {
      nullable: true,
      description: 'The most active keys; null: as many as `API_KEYS_PER_ACCOUNT` says.',
      example: 5,
    }),
    maxKeyDays: t.exposeInt('maxKeyDays', {
      nullable: true,
      description: 'The longest life of a key that is made from now on, in days; null: there is no bound.',
      example: 365,
    }),
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      nullable: true,
      description: "The provider's own words, told with each verification of its keys.",
      example: { support: 'email' },
      mostBytes: mostBytesOf.metadata,
    }),
  }),
});

const EntitlementType = builder.objectRef<EntitlementRecord>('Entitlement').implement({
  description: 'What the provider grants an account: as it was set, and as it holds.',
  fields: (t) => ({
    userId: t.exposeInt('account', { description: 'Identifier of the account.', example: 1 }),
    plan: t.exposeString('plan', {
      nullable: true,
      description:
        'Its plan; null: the default plan. One that is no plan any more counts as the default plan.',
      example: 'pro',
      mostBytes: mostBytesOf.plan,
    }),
    overrides: t.expose('overrides', {
      type: 'JSONObject',
      nullable: true,
      description:
        "Members of a plan that it has in place of its plan's own, spelled as in the plans file; null where there are none.",
      example: { quota: { limit: 50_000, refill: 'monthly' } },
      mostBytes: mostBytesOf.overrides,
    }),
    effective: t.expose('effective', {
      type: GrantType,
      description: 'What holds: the plan and the overrides put together.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last changed; null where it was never set.',
      example: '2026-01-31T12:00:00.000Z',
    }),
  }),
});

const OwnEntitlementType = builder.objectRef<OwnEntitlement>('OwnEntitlement').implement({
  description: 'What your provider grants you, and what is left of it.',
  fields: (t) => ({
    plan: t.exposeString('plan', {
      nullable: true,
      description: 'Your plan; null where the provider has no plans.',
      example: 'pro',
      mostBytes: mostBytesOf.plan,
    }),
    effective: t.expose('effective', {
      type: GrantType,
      description: 'What bounds your API keys, whatever you give them.',
    }),
    rateLimit: t.expose('rateLimit', {
      type: RateLimitStateType,
      nullable: true,
      description: 'What is left of the rate limit that all your API keys share; null: there is none.',
    }),
    quota: t.expose('quota', {
      type: QuotaStateType,
      nullable: true,
      description: 'What is left of the quota that all your API keys share; null: there is none.',
    }),
  }),
});

const userId = { required: true, description: 'Identifier of the account.', example: 1 } as const;

/** The arguments of the fields that set what an account may have. */
const grantedArguments = ({ arg }: ArgumentBuilder) => ({
  plan: arg.string({
    description: 'Its plan, one of the plans file. Null: the default plan; left out: as it is.',
    example: 'pro',
  }),
  overrides: arg({
    type: 'JSONObject',
    description:
      "Members of a plan in place of its plan's own, spelled as in the plans file: `permissions`, `rate_limit`, `quota`, `max_active_keys`, `max_key_days`, `metadata`. A member that is null lifts the bound. Null: none; left out: as they are.",
    example: { quota: { limit: 50_000, refill: 'monthly' } },
  }),
  reason: arg.string({
    description:
      'Why, for the audit trail and for whom it concerns: 1 to 500 characters, without white space at its ends. An operator must say it, a server may.',
    example: 'Invoice 1042',
  }),
});

builder.queryField('myEntitlement', (t) =>
  t.field({
    type: OwnEntitlementType,
    description: 'What your provider grants you, and what is left of it. Looking uses nothing.',
    requiredScopes: signedIn,
    resolve: (_root, _input, context) => myEntitlement(context),
  }),
);

builder.queryField('entitlement', (t) =>
  t.field({
    type: EntitlementType,
    description: "What the provider grants an account. For the provider's servers and for operators.",
    requiredScopes: accountEntitler,
    input: () => EntitlementInput,
    args: { userId: t.arg.int(userId) },
    resolve: (_root, input, context) => entitlement(context, input),
  }),
);

builder.mutationField('setEntitlement', (t) =>
  t.field({
    type: EntitlementType,
    description:
      "Sets what the provider grants an account. It holds from the next verification of its keys on; no key is changed. Repeating it changes nothing. For the provider's servers and for operators.",
    requiredScopes: accountEntitler,
    input: () => SetEntitlementInput,
    errors: ['CONFLICT'],
    takesRecord: true,
    args: { userId: t.arg.int(userId), ...grantedArguments(t) },
    // The input's schema checks the spelling of `overrides`.
    resolve: (_root, input, context) => setEntitlement(context, input as never),
  }),
);

builder.mutationField('setEntitlementBySubject', (t) =>
  t.field({
    type: EntitlementType,
    description:
      "Sets what the provider grants somebody, by their name at the identity provider, and makes the account where there is none yet. For the provider's servers and for operators.",
    requiredScopes: accountEntitler,
    input: () => SetEntitlementBySubjectInput,
    errors: ['CONFLICT'],
    takesRecord: true,
    args: {
      issuer: t.arg.string({
        required: true,
        description: 'The identity provider: 1 to 255 characters.',
        example: 'https://id.example.com',
      }),
      subject: t.arg.string({
        required: true,
        description: 'Who it is there: `sub` of their access tokens, 1 to 255 characters.',
        example: 'alice',
      }),
      ...grantedArguments(t),
    },
    resolve: (_root, input, context) => setEntitlementBySubject(context, input as never),
  }),
);
