import { keyVerifier } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import {
  type ApiKeyVerification,
  type RateLimitState,
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

const RateLimitStateType = builder.objectRef<RateLimitState>('RateLimitState').implement({
  description: "What is left of a key's own rate limit.",
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

const QuotaStateType = builder.objectRef<NonNullable<ApiKeyVerification['quota']>>('QuotaState').implement({
  description: "What is left of a key's quota.",
  fields: (t) => ({
    limit: t.exposeInt('limit', {
      description: 'How many units a period has.',
      example: 10_000,
    }),
    remaining: t.exposeInt('remaining', {
      description:
        'How many of them are left after this. Units that other nodes of Keyward have set aside for the key count as used.',
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
        'Why it does not: `not_found` (unknown, malformed or wrong), `inactive` (deactivated), `expired`, `rotated` (it has a new secret, and the time of the old one is over), `account_blocked` (whose it is may do nothing), `address_not_allowed`, `insufficient_permissions`, `rate_limited`, or `quota_exceeded` (less is left of its quota than this costs). The first of them that holds; null where it is valid. There may be others one day: each means no.',
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
    }),
    permissions: t.exposeStringList('permissions', {
      description: 'What the key may do, in the names that it was given; empty where none was set.',
      example: ['documents.read'],
    }),
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      nullable: true,
      description: 'What the provider keeps with the key; null where nothing is.',
      example: { plan: 'basic' },
    }),
    automation: t.expose('automation', {
      type: OwnerAutomation,
      nullable: true,
      description:
        'The automation settings of the account. What was switched off is off from the next answer on.',
    }),
  }),
});

builder.objectFields(ApiKeyVerificationType, (t) => ({
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
        description: 'The API key as a client sent it: at most 1000 characters.',
        example: `sk-a1b2c3.${'0'.repeat(64)}`,
      }),
      permissions: t.arg.stringList({
        description:
          'What its bearer wants to do: at most 50 names. The key must have all of them; `documents.*` of a key stands for all that begins with `documents.`, `*` for all.',
        example: ['documents.read'],
      }),
      cost: t.arg.int({
        description:
          "How many units of the key's quota this uses: 0 to 1000000, 1 where left out. 0 asks and uses none of them; the key's rate limit counts it all the same.",
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
