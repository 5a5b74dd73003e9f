import { keyVerifier } from '../../auth/scopes.ts';
import { builder } from '../../graphql/builder.ts';
import { QuotaStateType, RateLimitStateType } from '../../plans/limit-state.graphql.ts';
import { mostPermissions } from '../../plans/permissions.ts';
import { mostBytesOf as granted } from '../../plans/plan.ts';
import { mostBytesOf } from '../key-parts.ts';
import { longestSecret } from './imported-keys.ts';
import {
  type ApiKeyVerification,
  type GrantedState,
  VerifyApiKeyInput,
  verifyApiKey,
} from './verify-api-key.ts';

const OwnerAutomation = builder
  .objectRef<NonNullable<ApiKeyVerification['automation']>>('OwnerAutomation')
  .implement({
    description: "The automation settings of a key's owner, with the operator's defaults.",
    fields: (t) => ({
      isEnabled: t.exposeBoolean('isEnabled', {
        nullable: true,
        description: 'Whether automation is enabled; null where nothing says so.',
        example: true,
      }),
      sessionDuration: t.exposeInt('sessionDuration', {
        nullable: true,
        description: 'How long a session lasts, in seconds; null where nothing says so.',
        example: 3600,
      }),
    }),
  });

const ApiKeyVerificationType = builder.objectRef<ApiKeyVerification>('ApiKeyVerification').implement({
  description: 'Whether an API key is valid, and whose it is.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', {
      description: 'Whether the key lets its bearer in, at this moment.',
      example: true,
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why it does not: `not_found` (unknown, malformed or wrong), `inactive` (deactivated), `expired`, `rotated` (it has a new secret, and the time of the old one is over), `account_blocked` (whose it is may do nothing), `address_not_allowed`, `insufficient_permissions`, `rate_limited`, `account_rate_limited` (all keys of its account together were used too often), `quota_exceeded` (less is left of its quota than this costs), or `account_quota_exceeded` (or of the quota that all keys of its account share). The first of them that holds; null where it is valid. There may be others one day: each means no.',
      example: null,
    }),
    keyId: t.exposeInt('keyId', {
      nullable: true,
      description: 'Identifier of the key; null where it is not found, as all that follows.',
      example: 1,
    }),
    userId: t.exposeInt('userId', {
      nullable: true,
      description: 'Identifier of the account that the key belongs to.',
      example: 1,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From then on the key is valid no more; null where it does not expire.',
      example: '2099-01-31T12:00:00.000Z',
    }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Display name.',
      example: 'Laptop',
      mostBytes: mostBytesOf.name,
    }),
    permissions: t.exposeStringList('permissions', {
      description:
        "What the key may do: the permissions that its owner gave it, as far as they lie within its account's plan. Empty where there are none.",
      example: ['documents.read'],
      // What the key's list and the plan's have in common may have permissions of both.
      mostBytes: 2 * mostBytesOf.permissions,
    }),
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      nullable: true,
      description:
        "What the key's owner keeps with it: it is their word, not the provider's, which is in `entitlement`. Null where nothing is.",
      example: { team: 'search' },
      mostBytes: mostBytesOf.metadata,
    }),
  }),
});

const GrantedStateType = builder.objectRef<GrantedState>('GrantedState').implement({
  description: "What the provider grants the key's account.",
  fields: (t) => ({
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      nullable: true,
      description: "The provider's own words, of its plan or its overrides; null where there are none.",
      example: { support: 'email' },
      mostBytes: granted.metadata,
    }),
    rateLimit: t.expose('rateLimit', {
      type: RateLimitStateType,
      nullable: true,
      description: 'What is left of the rate limit that all keys of the account share; null: there is none.',
    }),
    quota: t.expose('quota', {
      type: QuotaStateType,
      nullable: true,
      description: 'What is left of the quota that all keys of the account share; null: there is none.',
    }),
  }),
});

builder.objectFields(ApiKeyVerificationType, (t) => ({
  automation: t.expose('automation', {
    type: OwnerAutomation,
    nullable: true,
    description:
      'The automation settings of the account. What was switched off is off from the next answer on.',
  }),
  plan: t.exposeString('plan', {
    nullable: true,
    description: 'The plan of the account, by its name in the plans file; null where there are no plans.',
    example: 'pro',
    mostBytes: granted.plan,
  }),
  entitlement: t.expose('entitlement', {
    type: GrantedStateType,
    nullable: true,
    description: 'What the provider grants the account, beside what the key may do.',
  }),
  rateLimit: t.expose('rateLimit', {
    type: RateLimitStateType,
    nullable: true,
    description: "What is left of the key's own rate limit; null where it has none.",
  }),
  quota: t.expose('quota', {
    type: QuotaStateType,
    nullable: true,
    description: "What is left of the key's quota; null where it has none.",
  }),
}));

builder.mutationField('verifyApiKey', (t) =>
  t.field({
    type: ApiKeyVerificationType,
    description:
      "Verifies an API key at a provider's door. It changes nothing, and is a mutation all the same: so a key never stands in a URL.",
    requiredScopes: keyVerifier,
    input: () => VerifyApiKeyInput,
    changesNothing: true,
    args: {
      key: t.arg.string({
        required: true,
        description: `The API key as a client sent it: at most ${longestSecret} characters.`,
        example: `sk-a1b2c3.${'0'.repeat(64)}`,
      }),
      permissions: t.arg.stringList({
        description: `What its bearer wants to do: at most ${mostPermissions} names. The key must have all of them; \`documents.*\` of a key stands for all that begins with \`documents.\`, \`*\` for all.`,
        example: ['documents.read'],
      }),
      cost: t.arg.int({
        description:
          "How many units this uses of the key's quota and of its account's: 0 to 1000000, 1 where left out. 0 asks and uses none of them; the rate limits count it all the same.",
        example: 1,
      }),
      address: t.arg.string({
        description:
          "The client's IP address, as the provider's server knows it. A key with `allowedAddresses` is refused without one.",
        example: '192.0.2.7',
      }),
    },
    resolve: (_root, input, context) => verifyApiKey(context, input),
  }),
);
