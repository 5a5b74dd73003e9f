import { type ArgumentBuilder, builder, type FieldBuilder } from '../graphql/builder.ts';
import { QuotaRefill } from '../plans/entitlement.graphql.ts';
import { longestPermission, mostPermissions } from '../plans/permissions.ts';
import type { NewApiKey } from './api-key-secret.ts';
import {
  type KeyParts,
  type KeyRateLimit,
  longestDescription,
  longestName,
  mostAddresses,
  mostBytesOf,
  mostMembers,
  mostMetadataBytes,
  mostOf,
  parts,
} from './key-parts.ts';
import type { ApiKeyRecord } from './own-api-key.ts';
import { type Quota, quotaOf } from './quota.ts';

const KeyRateLimitType = builder.objectRef<KeyRateLimit>('ApiKeyRateLimit').implement({
  description: 'How often an API key may be verified.',
  fields: (t) => ({
    limit: t.exposeInt('limit', {
      description: 'How many verifications a window has.',
      example: 100,
    }),
    windowSeconds: t.exposeInt('windowSeconds', {
      description: 'Length of a window in seconds.',
      example: 60,
    }),
  }),
});

const QuotaType = builder.objectRef<Quota>('ApiKeyQuota').implement({
  description: 'How much an API key may be used.',
  fields: (t) => ({
    limit: t.exposeInt('limit', {
      description: 'How many units a period has.',
      example: 10_000,
    }),
    refill: t.expose('refill', {
      type: QuotaRefill,
      description: 'When it is full again.',
      example: 'MONTHLY',
    }),
    remaining: t.exposeInt('remaining', {
      description: 'Units that are left of this period.',
      example: 9_875,
    }),
    refillsAt: t.expose('refillsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is full again; null where it never is.',
      example: '2026-03-01T00:00:00.000Z',
    }),
  }),
});

/** Holds fields or arguments complete: every part of a key must be among them. */
const ofAllParts = <Members extends Readonly<Record<keyof KeyParts, unknown>>>(members: Members) => members;

/** The fields for a key's permissions and limits. */
const partFields = (t: FieldBuilder<ApiKeyRecord>) => ({
  description: t.string({
    nullable: true,
    description: 'What its owner wants to remember of the key; null where nothing was written.',
    example: 'Reads the drafts of the night. Belongs to the search team.',
    mostBytes: mostBytesOf.description,
    resolve: parts.description.told,
  }),
  permissions: t.stringList({
    description:
      'What its bearer may do, as it was given: `documents.*` stands for all below, `*` for all. Empty where none was set.',
    example: ['documents.read'],
    mostBytes: mostBytesOf.permissions,
    resolve: parts.permissions.told,
  }),
  metadata: t.field({
    type: 'JSONObject',
    nullable: true,
    description:
      "What its owner keeps with the key, and the API provider is told with it: names and values of the owner's own.",
    example: { team: 'search' },
    mostBytes: mostBytesOf.metadata,
    resolve: parts.metadata.told,
  }),
  allowedAddresses: t.stringList({
    description: 'From where it may be used: IP addresses and ranges of them (CIDR). Empty: from anywhere.',
    example: ['192.0.2.0/24'],
    mostBytes: mostBytesOf.allowedAddresses,
    resolve: parts.allowedAddresses.told,
  }),
  rateLimit: t.field({
    type: KeyRateLimitType,
    nullable: true,
    description: 'How often it may be verified; null where it has no limit of its own.',
    resolve: parts.rateLimit.told,
  }),
  quota: t.field({
    type: QuotaType,
    nullable: true,
    description: 'How much it may be used; null where it has no quota.',
    resolve: (key, _input, { services }) => quotaOf(key, services.keyQuotas),
  }),
});

const endFields = (t: FieldBuilder<ApiKeyRecord>) => ({
  expiresAt: t.expose('expiresAt', {
    type: 'DateTime',
    nullable: true,
    description: 'From then on the key is valid no more; null where it does not expire.',
    example: '2099-01-31T12:00:00.000Z',
  }),
  deactivatedAt: t.expose('deactivatedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the key was deactivated; null while it is active.',
    example: null,
  }),
  previousWorksUntil: t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'Until when a secret from before a rotation still works, where it was given a grace; it may lie in the past, and is null where there was none.',
    example: null,
    // A key may expire before the end of an earlier grace.
    resolve: ({ previousWorksUntil, expiresAt }) =>
      previousWorksUntil && expiresAt && expiresAt < previousWorksUntil ? expiresAt : previousWorksUntil,
  }),
  lastUsedAt: t.expose('lastUsedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the key was last verified, to half a minute; null where it never was.',
    example: '2026-02-28T12:00:00.000Z',
  }),
});

/** The GraphQL type of an API key. */
export const ApiKeyType = builder.objectRef<ApiKeyRecord>('ApiKey').implement({
  description: 'The record of an API key. The secret itself is not part of it.',
  fields: (t) =>
    ofAllParts({
      id: t.exposeInt('id', { description: 'Identifier of the key.', example: 1 }),
      keyPrefix: t.exposeString('keyPrefix', {
        description: 'First characters of the key, to tell keys apart.',
        example: 'sk-a1b2c3',
        mostBytes: mostBytesOf.keyPrefix,
      }),
      name: t.exposeString('name', {
        nullable: true,
        description: 'Display name.',
        example: 'Laptop',
        mostBytes: mostBytesOf.name,
      }),
      createdAt: t.expose('createdAt', {
        type: 'DateTime',
        description: 'When the key was created.',
        example: '2026-01-31T12:00:00.000Z',
      }),
      isActive: t.exposeBoolean('isActive', {
        description: 'Whether the key is active.',
        example: true,
      }),
      isDefault: t.exposeBoolean('isDefault', {
        description: 'Whether this is the default key. An inactive key may still be marked so.',
        example: true,
      }),
      encryptedKey: t.exposeString('encryptedKey', {
        nullable: true,
        description:
          'The key, encrypted for the operator (a compact JWE, RFC 7516); null where none is kept.',
        example: null,
        mostBytes: mostBytesOf.encryptedKey,
      }),
      encryptionVersion: t.exposeInt('encryptionVersion', {
        description: 'Version of the secret under which `encryptedKey` is encrypted; 1 where that is null.',
        example: 1,
      }),
      ...endFields(t),
      ...partFields(t),
    }),
});

/** The GraphQL type of a new API key, or of a key with a new secret. */
export const NewApiKeyType = builder.objectRef<NewApiKey>('NewApiKey').implement({
  description: 'An API key with its secret, which is shown this once.',
  fields: (t) => ({
    apiKey: t.field({
      type: ApiKeyType,
      description: 'The record of the key.',
      flatInRest: true,
      resolve: (made) => made,
    }),
    key: t.exposeString('key', {
      description:
        'The secret: `keyPrefix`, a point and 64 hexadecimal digits, 74 characters where keys begin with `sk-`. It cannot be shown again.',
      example: 'sk-a1b2c3.0123456789abcdef0123456789abcdef0123456789abcdef01234567ce64f1c9',
      mostBytes: 100,
    }),
  }),
});

const RateLimitInput = builder.inputType('ApiKeyRateLimitInput', {
  description: 'How often an API key may be verified.',
  fields: (t) => ({
    limit: t.int({
      required: true,
      description: `How many verifications a window has: 1 to ${mostOf.requests}.`,
    }),
    windowSeconds: t.int({
      required: true,
      description: `Length of a window in seconds: 1 to ${mostOf.windowSeconds}.`,
    }),
  }),
});

const QuotaInput = builder.inputType('ApiKeyQuotaInput', {
  description: 'How much an API key may be used.',
  fields: (t) => ({
    limit: t.int({ required: true, description: `How many units a period has: 0 to ${mostOf.units}.` }),
    refill: t.field({ type: QuotaRefill, required: true, description: 'When it is full again.' }),
  }),
});

/** The argument that names a key. */
export const keyIdArgument = ({ arg }: ArgumentBuilder) => ({
  keyId: arg.int({ required: true, description: 'Identifier of the key.', example: 1 }),
});

/** The arguments of the fields that create or update a key. */
export const keyArguments = ({ arg }: ArgumentBuilder) =>
  ofAllParts({
    name: arg.string({
      description: `Display name: 1 to ${longestName} characters, without white space at its ends. Null: none.`,
      example: 'Laptop',
    }),
    description: arg.string({
      description: `What you want to remember of the key: 1 to ${longestDescription} characters, without white space at its ends. Null: nothing.`,
      example: 'Reads the drafts of the night. Belongs to the search team.',
    }),
    permissions: arg.stringList({
      description: `What its bearer may do: at most ${mostPermissions} names, each 1 to ${longestPermission} characters of a-z, 0-9, and \`. _ : * -\`. \`documents.*\` stands for all below, \`*\` for all. Null or empty: nothing that a provider asks for.`,
      example: ['documents.read', 'documents.write'],
    }),
    metadata: arg({
      type: 'JSONObject',
      description: `Names and values of your own, told to the API provider where the key is verified. At most ${mostMembers} members, and ${mostMetadataBytes} bytes as JSON. Null: none.`,
      example: { team: 'search' },
    }),
    allowedAddresses: arg.stringList({
      description: `From where it may be used: at most ${mostAddresses} IP addresses and ranges of them (CIDR). Null or empty: from anywhere.`,
      example: ['192.0.2.0/24', '2001:db8::/32'],
    }),
    rateLimit: arg({
      type: RateLimitInput,
      description: 'How often it may be verified. Null: no limit of its own.',
      example: { limit: 100, windowSeconds: 60 },
    }),
    quota: arg({
      type: QuotaInput,
      description:
        'How much it may be used. When it is changed, what was used in this period stays used. Null: no quota.',
      example: { limit: 10_000, refill: 'MONTHLY' },
    }),
    expiresAt: arg({
      type: 'DateTime',
      description: 'From then on the key is valid no more. In the future; null: it does not expire.',
      example: '2099-01-31T12:00:00.000Z',
    }),
  });
