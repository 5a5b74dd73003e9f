import { mostBytesOf as accountBytes, kindOf } from '../accounts/account-record.ts';
import { type ArgumentBuilder, builder, timeOrNull } from '../graphql/builder.ts';
import { QuotaRefill, quotaFields, rateLimitFields } from '../plans/limit-state.graphql.ts';
import { longestPermission, mostPermissions } from '../plans/permissions.ts';
import { mostMembers, mostMetadataBytes } from '../plans/plan.ts';
import type { NewApiKey } from './api-key-secret.ts';
import {
  type KeyParts,
  type KeyRateLimit,
  longestDescription,
  longestName,
  mostAddresses,
  mostBytesOf,
  mostOf,
  parts,
} from './key-parts.ts';
import type { ApiKeyRecord } from './own-api-key.ts';
import { pauserOf } from './pause.ts';
import { type Quota, quotaOf } from './quota.ts';

const KeyRateLimitType = builder.objectRef<KeyRateLimit>('ApiKeyRateLimit').implement({
  description: 'The rate limit of an API key.',
  fields: rateLimitFields,
});

const QuotaType = builder.objectRef<Quota>('ApiKeyQuota').implement({
  description: 'The quota of an API key.',
  fields: (t) => ({
    ...quotaFields(t),
    remaining: t.exposeInt('remaining', {
      description: 'Units left in this period.',
      example: 9_875,
    }),
    refillsAt: t.expose('refillsAt', {
      ...timeOrNull,
      description: 'When the quota next refills. Null if it never does.',
      example: '2026-03-01T00:00:00.000Z',
    }),
  }),
});

const PausedByType = builder.enumType('PausedBy', {
  description: 'Who paused an API key.',
  values: {
    OWNER: { value: 'owner', description: 'Its owner, who can resume it.' },
    OPERATOR: { value: 'operator', description: 'An operator. Only an operator can resume it.' },
    SCANNER: {
      value: 'scanner',
      description: 'A report that it was found in public (`LEAKED_KEYS`). Its owner can resume it.',
    },
  } as const,
});

/** The reason for a pause, in examples. */
export const pauseReason = 'It may have leaked.';

/** What differs in the example of a paused key. */
export const paused = (pausedBy: 'OWNER' | 'OPERATOR') => ({
  pausedAt: '2026-03-31T12:00:00.000Z',
  pausedBy,
  pauseReason,
});

/** The options of the fields that several types have for a key. */
export const ofKey = {
  name: { nullable: true, description: 'Display name.', example: 'Laptop', mostBytes: mostBytesOf.name },
  isActive: { description: 'Whether the key is active. A paused key is still active.', example: true },
  pausedAt: {
    ...timeOrNull,
    description: 'When the key was paused. Only set while it is paused.',
    example: null,
    onlyIfSet: true,
  },
  expiresAt: {
    ...timeOrNull,
    description: 'When the key expires. Null if it never expires.',
    example: '2099-01-31T12:00:00.000Z',
  },
  lastUsedAt: {
    ...timeOrNull,
    description:
      'When the key last passed a verification, written up to 30 seconds late. Null if it never has.',
    example: '2026-02-28T12:00:00.000Z',
  },
} as const;

/** Holds fields or arguments complete: every part of a key must be among them. */
const ofAllParts = <Members extends Readonly<Record<keyof KeyParts, unknown>>>(members: Members) => members;

/** The GraphQL type of an API key. */
export const ApiKeyType = builder.objectRef<ApiKeyRecord>('ApiKey').implement({
  description: 'An API key, without its secret.',
  fields: (t) =>
    ofAllParts({
      id: t.exposeInt('id', { description: 'Id of the key.', example: 1 }),
      keyPrefix: t.exposeString('keyPrefix', {
        description: 'The first characters of the secret, to tell keys apart.',
        example: 'sk-a1b2c3',
        mostBytes: mostBytesOf.keyPrefix,
      }),
      name: t.exposeString('name', ofKey.name),
      createdAt: t.expose('createdAt', {
        type: 'DateTime',
        description: 'When the key was created.',
        example: '2026-01-31T12:00:00.000Z',
      }),
      ownerKind: t.string({
        description: 'Who owns the key: `person` or `organization`. REST leaves it out if a person does.',
        example: 'person',
        mostBytes: accountBytes.kind,
        leftOutIf: 'person',
        resolve: ({ ownerKind }) => kindOf(ownerKind),
      }),
      createdBy: t.exposeInt('createdBy', {
        nullable: true,
        description:
          "Id of the account of the member who created an organization's key. Null if a person owns the key, or if the member is not known or was erased. REST leaves it out then.",
        example: null,
        onlyIfSet: true,
      }),
      isActive: t.exposeBoolean('isActive', ofKey.isActive),
      isDefault: t.exposeBoolean('isDefault', {
        description: 'Whether this is your default key. An inactive or paused key can still be the default.',
        example: true,
      }),
      encryptedKey: t.exposeString('encryptedKey', {
        nullable: true,
        description:
          'The secret, encrypted for the operator (a compact JWE, RFC 7516). Null if no copy is kept.',
        example: null,
        mostBytes: mostBytesOf.encryptedKey,
      }),
      encryptionVersion: t.exposeInt('encryptionVersion', {
        description: 'Version of the encryption key of `encryptedKey`. 1 if that is null.',
        example: 1,
      }),
      expiresAt: t.expose('expiresAt', ofKey.expiresAt),
      deactivatedAt: t.expose('deactivatedAt', {
        ...timeOrNull,
        description: 'When the key was deactivated. Null while it is active.',
        example: null,
      }),
      pausedAt: t.expose('pausedAt', ofKey.pausedAt),
      pausedBy: t.field({
        type: PausedByType,
        nullable: true,
        description: 'Who paused the key. Only set while it is paused.',
        example: null,
        onlyIfSet: true,
        resolve: pauserOf,
      }),
      pauseReason: t.exposeString('pauseReason', {
        nullable: true,
        description: 'The reason for the pause. Only set if one was given.',
        example: null,
        mostBytes: mostBytesOf.pauseReason,
        onlyIfSet: true,
      }),
      previousWorksUntil: t.field({
        ...timeOrNull,
        description:
          'When the last previous secret stops working; may be in the past. Null if no rotation had a grace period.',
        example: null,
        // A key may expire before the end of an earlier grace.
        resolve: ({ previousWorksUntil, expiresAt }) =>
          previousWorksUntil && expiresAt && expiresAt < previousWorksUntil ? expiresAt : previousWorksUntil,
      }),
      lastUsedAt: t.expose('lastUsedAt', ofKey.lastUsedAt),
      description: t.string({
        nullable: true,
        description: "The owner's note about the key. Null if there is none.",
        example: 'Indexes the documents every night. Belongs to the search team.',
        mostBytes: mostBytesOf.description,
        resolve: parts.description.told,
      }),
      permissions: t.stringList({
        description:
          "The key's permissions. `documents.*` covers every permission that begins with `documents.`; `*` covers all. Empty if the key has none.",
        example: ['documents.read'],
        mostBytes: mostBytesOf.permissions,
        resolve: parts.permissions.told,
      }),
      metadata: t.field({
        type: 'JSONObject',
        nullable: true,
        description: "The owner's own names and values. The API provider gets them with each verification.",
        example: { team: 'search' },
        mostBytes: mostBytesOf.metadata,
        resolve: parts.metadata.told,
      }),
      allowedAddresses: t.stringList({
        description: 'IP addresses and ranges (CIDR) that may use the key. Empty if any address may.',
        example: ['192.0.2.0/24'],
        mostBytes: mostBytesOf.allowedAddresses,
        resolve: parts.allowedAddresses.told,
      }),
      rateLimit: t.field({
        type: KeyRateLimitType,
        nullable: true,
        description: "The key's own rate limit. Null if it has none.",
        resolve: parts.rateLimit.told,
      }),
      quota: t.field({
        type: QuotaType,
        nullable: true,
        description: "The key's quota. Null if it has none.",
        resolve: (key, _input, { services }) => quotaOf(key, services.keyQuotas),
      }),
    }),
});

/** The GraphQL type of a new API key, or of a key with a new secret. */
export const NewApiKeyType = builder.objectRef<NewApiKey>('NewApiKey').implement({
  description: 'An API key with its secret, which is shown only once.',
  fields: (t) => ({
    apiKey: t.field({
      type: ApiKeyType,
      description: 'The key.',
      flatInRest: true,
      resolve: (made) => made,
    }),
    key: t.exposeString('key', {
      description:
        'The secret: `keyPrefix`, a dot and 64 hexadecimal digits (74 characters if keys begin with `sk-`). It cannot be shown again.',
      example: 'sk-a1b2c3.0123456789abcdef0123456789abcdef0123456789abcdef01234567ce64f1c9',
      mostBytes: 100,
    }),
  }),
});

const RateLimitInput = builder.inputType('ApiKeyRateLimitInput', {
  description: 'The rate limit of an API key.',
  fields: (t) => ({
    limit: t.int({
      required: true,
      description: `Verifications per window (1–${mostOf.requests}).`,
    }),
    windowSeconds: t.int({
      required: true,
      description: `Length of the window, in seconds (1–${mostOf.windowSeconds}).`,
    }),
  }),
});

const QuotaInput = builder.inputType('ApiKeyQuotaInput', {
  description: 'The quota of an API key.',
  fields: (t) => ({
    limit: t.int({ required: true, description: `Units per period (0–${mostOf.units}).` }),
    refill: t.field({ type: QuotaRefill, required: true, description: 'When the quota refills.' }),
  }),
});

/** The argument that names a key. */
export const keyIdArgument = ({ arg }: ArgumentBuilder) => ({
  keyId: arg.int({ required: true, description: 'Id of the key.', example: 1 }),
});

/** The arguments of the fields that create or update a key. */
export const keyArguments = ({ arg }: ArgumentBuilder) =>
  ofAllParts({
    name: arg.string({
      description: `Display name, 1–${longestName} characters without white space at either end. Null for none.`,
      example: 'Laptop',
    }),
    description: arg.string({
      description: `A note about the key, 1–${longestDescription} characters without white space at either end. Null for none.`,
      example: 'Reads the drafts of the night. Belongs to the search team.',
    }),
    permissions: arg.stringList({
      description: `Permissions of the key: at most ${mostPermissions}, each with 1–${longestPermission} characters of a-z, 0-9 and \`. _ : * -\`. \`documents.*\` covers every permission that begins with \`documents.\`; \`*\` covers all. Null or empty: the key passes only if no permission is required.`,
      example: ['documents.read', 'documents.write'],
    }),
    metadata: arg({
      type: 'JSONObject',
      description: `Your own names and values, at most ${mostMembers} and ${mostMetadataBytes} bytes as JSON. The API provider gets them with each verification. Null for none.`,
      example: { team: 'search' },
    }),
    allowedAddresses: arg.stringList({
      description: `IP addresses and ranges (CIDR) that may use the key, at most ${mostAddresses}. Null or empty: any address.`,
      example: ['192.0.2.0/24', '2001:db8::/32'],
    }),
    rateLimit: arg({
      type: RateLimitInput,
      description: "The key's own rate limit. Null for none.",
      example: { limit: 100, windowSeconds: 60 },
    }),
    quota: arg({
      type: QuotaInput,
      description:
        'Units that the key may use per period. Changing it does not give back used units. Null for no quota.',
      example: { limit: 10_000, refill: 'MONTHLY' },
    }),
    expiresAt: arg({
      type: 'DateTime',
      description: 'When the key expires; must be in the future. Null if it never expires.',
      example: '2099-01-31T12:00:00.000Z',
    }),
  });
