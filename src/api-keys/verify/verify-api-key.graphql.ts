import { mostBytesOf as accountBytes } from '../../accounts/account-record.ts';
import { keyVerifier } from '../../auth/scopes.ts';
import { builder, runs } from '../../graphql/builder.ts';
import { QuotaStateType, RateLimitStateType, sharedLeftFields } from '../../plans/limit-state.graphql.ts';
import { mostPermissions } from '../../plans/permissions.ts';
import { mostBytesOf as granted } from '../../plans/plan.ts';
import { ofKey } from '../api-key-types.graphql.ts';
import { mostBytesOf } from '../key-parts.ts';
import { longestSecret } from './imported-keys.ts';
import { type ApiKeyVerification, type GrantedState, verifyApiKey } from './verify-api-key.ts';

/**
 * The most bytes of an assertion: base64 of what the key's list and the plan's have in common, of the names of the
 * owner, the issuer and the plan, and of the rest.
 */
const longestAssertion = Math.ceil(
  (4 / 3) * (2 * mostBytesOf.permissions + 2 * accountBytes.subject + granted.plan + 1000),
);

const OwnerAutomation = builder
  .objectRef<NonNullable<ApiKeyVerification['automation']>>('OwnerAutomation')
  .implement({
    description:
      "The automation settings of a key's owner. Settings that were never set have the operator's defaults.",
    fields: (t) => ({
      isEnabled: t.exposeBoolean('isEnabled', {
        nullable: true,
        description: 'Whether automation is on. Null if neither the owner nor the operator has set it.',
        example: true,
      }),
      sessionDuration: t.exposeInt('sessionDuration', {
        nullable: true,
        description:
          'Length of a session, in seconds. Null if neither the owner nor the operator has set it.',
        example: 3600,
      }),
    }),
  });

const GrantedStateType = builder.objectRef<GrantedState>('GrantedState').implement({
  description: "What the provider grants the key's account.",
  fields: (t) => ({
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      nullable: true,
      description:
        "The provider's own names and values, from the plan or its overrides. Null if it set none.",
      example: { support: 'email' },
      mostBytes: granted.metadata,
    }),
    ...sharedLeftFields(t, 'keys of the account'),
  }),
});

const ApiKeyVerificationType = builder.objectRef<ApiKeyVerification>('ApiKeyVerification').implement({
  description: 'The result of a verification.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', {
      description: 'Whether the request may pass.',
      example: true,
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why the request may not pass: `not_found` (unknown or malformed key), `inactive` (deactivated), `expired`, `rotated` (a previous secret whose grace period is over), `paused`, `account_blocked`, `address_not_allowed`, `insufficient_permissions`, `rate_limited`, `account_rate_limited` (the rate limit of all keys of the account), `quota_exceeded` (fewer units left than `cost`) or `account_quota_exceeded` (the same for the quota of all keys of the account). The first that applies; null if the key is valid. Treat an unknown value as a refusal.',
      example: null,
    }),
    keyId: t.exposeInt('keyId', {
      nullable: true,
      description: 'Id of the key. Null if no such key was found; the fields below are then null or empty.',
      example: 1,
    }),
    userId: t.exposeInt('userId', {
      nullable: true,
      description: 'Id of the account that owns the key.',
      example: 1,
    }),
    ownerKind: t.exposeString('ownerKind', {
      nullable: true,
      description: 'Who owns the key: `person` or `organization`.',
      example: 'person',
      mostBytes: accountBytes.kind,
    }),
    organizationId: t.exposeString('organizationId', {
      nullable: true,
      description:
        'The organization that owns the key: its id at the identity provider. Null if a person owns it.',
      example: null,
      mostBytes: accountBytes.subject,
    }),
    expiresAt: t.expose('expiresAt', ofKey.expiresAt),
    name: t.exposeString('name', ofKey.name),
    permissions: t.exposeStringList('permissions', {
      description:
        "The key's permissions, limited to those that its account's plan allows. Empty if it has none.",
      example: ['documents.read'],
      // What the key's list and the plan's have in common may have permissions of both.
      mostBytes: 2 * mostBytesOf.permissions,
    }),
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      nullable: true,
      description:
        "The owner's own names and values; those of the provider are in `entitlement`. Null if the owner set none.",
      example: { team: 'search' },
      mostBytes: mostBytesOf.metadata,
    }),
    automation: t.expose('automation', {
      type: OwnerAutomation,
      nullable: true,
      description: "The owner's automation settings, as they are now.",
    }),
    plan: t.exposeString('plan', {
      nullable: true,
      description: 'The name of the plan of the account. Null if the provider has no plans.',
      example: 'pro',
      mostBytes: granted.plan,
    }),
    entitlement: t.expose('entitlement', {
      type: GrantedStateType,
      nullable: true,
      description: 'What the provider grants the account, beyond the permissions.',
    }),
    rateLimit: t.expose('rate', {
      type: RateLimitStateType,
      nullable: true,
      description: "What is left of the key's own rate limit. Null if it has none.",
    }),
    quota: t.expose('quota', {
      type: QuotaStateType,
      nullable: true,
      description: "What is left of the key's quota. Null if it has none.",
    }),
    stale: t.exposeBoolean('stale', {
      description:
        'Whether the database is away, and the key is judged by what the database said before. Only with `DOOR_GRACE_SECONDS`.',
      example: false,
    }),
    assertion: t.exposeString('assertion', {
      nullable: true,
      description:
        'A JWT that says the same for up to a minute ([RFC 9068](https://www.rfc-editor.org/rfc/rfc9068)), for services that check it without asking Keyward. Null if the key is not valid, or if `assertion` was not asked for.',
      example: null,
      mostBytes: longestAssertion,
    }),
  }),
});

builder.mutationFields((t) => ({
  verifyApiKey: t.field({
    type: ApiKeyVerificationType,
    description:
      "Verifies an API key for a request to your API. The call counts towards the key's usage and limits. It is a mutation so that a key never appears in a URL.",
    summary: 'Verify an API key',
    requiredScopes: keyVerifier,
    changesNothing: true,
    args: {
      key: t.arg.string({
        required: true,
        description: `The API key as the client sent it, at most ${longestSecret} characters.`,
        example: `sk-a1b2c3.${'0'.repeat(64)}`,
      }),
      permissions: t.arg.stringList({
        description: `Permissions that the request needs, at most ${mostPermissions}. The key must have all of them.`,
        example: ['documents.read'],
      }),
      cost: t.arg.int({
        description:
          "Units to use of the key's quota and of its account's quota (0–1000000). Default: 1. With 0, no units are used, but the call still counts towards the rate limits.",
        example: 1,
      }),
      address: t.arg.string({
        description: "The client's IP address. Without one, a key with `allowedAddresses` is refused.",
        example: '192.0.2.7',
      }),
      assertion: t.arg.boolean({
        description: 'Whether to answer with an assertion. Only with `ASSERTION_KEYS`.',
        example: false,
      }),
    },
    ...runs(verifyApiKey),
  }),
}));
