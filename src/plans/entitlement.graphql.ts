import {
  accountIdArgument,
  issuerArgument,
  organizationArgument,
  subjectArgument,
} from '../accounts/arguments.ts';
import { accountEntitler, signedIn } from '../auth/scopes.ts';
import { type ArgumentBuilder, builder, runs, timeOrNull } from '../graphql/builder.ts';
import { type EntitlementRecord, entitlement } from './entitlement.ts';
import type { Entitlement } from './entitlement-of.ts';
import { quotaFields, rateLimitFields, sharedLeftFields } from './limit-state.graphql.ts';
import { myEntitlement, type OwnEntitlement } from './my-entitlement.ts';
import { mostBytesOf } from './plan.ts';
import { setEntitlement } from './set-entitlement.ts';
import { setEntitlementBySubject } from './set-entitlement-by-subject.ts';

const GrantedRateLimit = builder
  .objectRef<NonNullable<Entitlement['rateLimit']>>('GrantedRateLimit')
  .implement({
    description: 'The rate limit shared by all API keys of an account.',
    fields: rateLimitFields,
  });

const GrantedQuota = builder.objectRef<NonNullable<Entitlement['quota']>>('GrantedQuota').implement({
  description: 'The quota shared by all API keys of an account.',
  fields: quotaFields,
});

/** What the provider grants. */
const GrantType = builder.objectRef<Entitlement>('Grant').implement({
  description: 'What the provider grants an account: the bounds of all its API keys.',
  fields: (t) => ({
    permissions: t.exposeStringList('permissions', {
      nullable: true,
      description:
        'The permissions that keys of the account may have: names and wildcards. Empty for none; null for any.',
      example: ['documents.*'],
      mostBytes: mostBytesOf.permissions,
    }),
    rateLimit: t.expose('rateLimit', {
      type: GrantedRateLimit,
      nullable: true,
      description: 'The rate limit shared by all keys of the account. Null for no limit.',
    }),
    quota: t.expose('quota', {
      type: GrantedQuota,
      nullable: true,
      description: 'The quota shared by all keys of the account. Null for no limit.',
    }),
    maxActiveKeys: t.exposeInt('maxActiveKeys', {
      nullable: true,
      description: 'The most active keys. Null for the default, `API_KEYS_PER_ACCOUNT`.',
      example: 5,
    }),
    maxKeyDays: t.exposeInt('maxKeyDays', {
      nullable: true,
      description: 'The longest lifetime of a new key, in days. Null for no limit.',
      example: 365,
    }),
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      nullable: true,
      description: "The provider's own names and values, returned with each verification. Null for none.",
      example: { support: 'email' },
      mostBytes: mostBytesOf.metadata,
    }),
  }),
});

const EntitlementType = builder.objectRef<EntitlementRecord>('Entitlement').implement({
  description: 'What the provider grants an account: the stored settings, and what they amount to.',
  fields: (t) => ({
    userId: t.exposeInt('account', { description: 'Id of the account.', example: 1 }),
    plan: t.exposeString('plan', {
      nullable: true,
      description:
        'The plan of the account. Null for the default plan. A plan that no longer exists counts as the default plan.',
      example: 'pro',
      mostBytes: mostBytesOf.plan,
    }),
    overrides: t.expose('overrides', {
      type: 'JSONObject',
      nullable: true,
      description:
        'Members that replace those of the plan, spelled as in the plans file. Null for no overrides.',
      example: { quota: { limit: 50_000, refill: 'monthly' } },
      mostBytes: mostBytesOf.overrides,
    }),
    effective: t.expose('effective', {
      type: GrantType,
      description: 'The plan with the overrides applied.',
    }),
    updatedAt: t.expose('updatedAt', {
      ...timeOrNull,
      description: 'When the entitlement was last changed. Null if it was never set.',
      example: '2026-01-31T12:00:00.000Z',
    }),
  }),
});

const OwnEntitlementType = builder.objectRef<OwnEntitlement>('OwnEntitlement').implement({
  description: 'What your provider grants you, and how much of it is left.',
  fields: (t) => ({
    plan: t.exposeString('plan', {
      nullable: true,
      description: 'The name of your plan. Null if the provider has no plans.',
      example: 'pro',
      mostBytes: mostBytesOf.plan,
    }),
    effective: t.expose('effective', {
      type: GrantType,
      description: 'The bounds of your API keys, whatever you set on a key.',
    }),
    ...sharedLeftFields(t, 'your API keys'),
  }),
});

/** The arguments of the fields that set what an account may have. */
const grantedArguments = ({ arg }: ArgumentBuilder) => ({
  plan: arg.string({
    description:
      'A plan from the plans file. Null for the default plan. If omitted, the plan stays as it is.',
    example: 'pro',
  }),
  overrides: arg({
    type: 'JSONObject',
    description:
      'Members that replace those of the plan: `permissions`, `rate_limit`, `quota`, `max_active_keys`, `max_key_days`, `metadata`, spelled as in the plans file. A member that is null lifts that limit. Null for no overrides. If omitted, they stay as they are.',
    example: { quota: { limit: 50_000, refill: 'monthly' } },
  }),
  reason: arg.string({
    description:
      'The reason, shown to the owner in the audit events: 1–500 characters without white space at either end. Required for people who are operators, optional for servers.',
    example: 'Invoice 1042',
  }),
});

builder.queryFields((t) => ({
  myEntitlement: t.field({
    type: OwnEntitlementType,
    description:
      'Returns what your provider grants you, and how much of it is left. The call uses none of it.',
    summary: 'Get your entitlement',
    requiredScopes: signedIn,
    resolve: (_root, _input, context) => myEntitlement(context),
  }),
  entitlement: t.field({
    type: EntitlementType,
    description: "Returns what the provider grants an account. For the provider's servers and operators.",
    summary: "Get an account's entitlement",
    requiredScopes: accountEntitler,
    args: { userId: t.arg.int(accountIdArgument) },
    ...runs(entitlement),
  }),
}));

builder.mutationFields((t) => ({
  setEntitlement: t.field({
    type: EntitlementType,
    description:
      "Sets what the provider grants an account. It applies from the next verification; keys stay as they are. Safe to repeat. For the provider's servers and operators.",
    summary: "Set an account's entitlement",
    requiredScopes: accountEntitler,
    input: setEntitlement.input,
    errors: ['CONFLICT'],
    takesRecord: true,
    args: { userId: t.arg.int(accountIdArgument), ...grantedArguments(t) },
    // The input's schema checks the spelling of `overrides`.
    resolve: (_root, input, context) => setEntitlement(context, input as never),
  }),
  setEntitlementBySubject: t.field({
    type: EntitlementType,
    description:
      "Sets what the provider grants a person, by issuer and subject. Creates the account if it does not exist. For the provider's servers and operators.",
    summary: "Set a person's entitlement",
    requiredScopes: accountEntitler,
    input: setEntitlementBySubject.input,
    errors: ['CONFLICT'],
    takesRecord: true,
    args: {
      issuer: t.arg.string(issuerArgument),
      subject: t.arg.string(subjectArgument),
      organization: t.arg.string(organizationArgument),
      ...grantedArguments(t),
    },
    resolve: (_root, input, context) => setEntitlementBySubject(context, input as never),
  }),
}));
