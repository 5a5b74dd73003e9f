import { accountAdmin } from '../auth/scopes.ts';
import { ApiKey } from '../database/tables.ts';
import { builder, type FieldBuilder } from '../graphql/builder.ts';
import { CreateApiKeyInput, createApiKey } from './create-api-key.ts';
import { RotateApiKeyInput, rotateApiKey } from './rotate-api-key.ts';
import type { NewApiKey } from './store-secret.ts';

/** Why the fields of a key are deprecated, where they are read from another place now. */
interface Deprecated {
  readonly deprecationReason?: string;
}

const endFields = (t: FieldBuilder<ApiKey>, deprecated: Deprecated) => ({
  expiresAt: t.expose('expiresAt', {
    ...deprecated,
    type: 'DateTime',
    nullable: true,
    description: 'From then on the key is valid no more; null where it does not expire.',
    extensions: { example: '2099-01-31T12:00:00.000Z' },
  }),
  deactivatedAt: t.expose('deactivatedAt', {
    ...deprecated,
    type: 'DateTime',
    nullable: true,
    description: 'When the key was deactivated; null while it is active.',
    extensions: { example: null },
  }),
  previousWorksUntil: t.expose('previousWorksUntil', {
    ...deprecated,
    type: 'DateTime',
    nullable: true,
    description:
      'Until when a secret from before a rotation still works, where it was given a grace; it may lie in the past, and is null where there was none.',
    extensions: { example: null },
  }),
  lastUsedAt: t.expose('lastUsedAt', {
    ...deprecated,
    type: 'DateTime',
    nullable: true,
    description: 'When the key was last verified, to half a minute; null where it never was.',
    extensions: { example: '2026-02-28T12:00:00.000Z' },
  }),
});

const apiKeyFields = (t: FieldBuilder<ApiKey>, deprecated: Deprecated = {}) => ({
  id: t.exposeInt('id', { ...deprecated, description: 'Identifier of the key.', extensions: { example: 1 } }),
  keyPrefix: t.exposeString('keyPrefix', {
    ...deprecated,
    description: 'First characters of the key, to tell keys apart.',
    extensions: { example: 'sk-a1b2c3' },
  }),
  name: t.exposeString('name', {
    ...deprecated,
    nullable: true,
    description: 'Display name.',
    extensions: { example: 'Laptop' },
  }),
  createdAt: t.expose('createdAt', {
    ...deprecated,
    type: 'DateTime',
    description: 'When the key was created.',
    extensions: { example: '2026-01-31T12:00:00.000Z' },
  }),
  isActive: t.exposeBoolean('isActive', {
    ...deprecated,
    description: 'Whether the key is active.',
    extensions: { example: true },
  }),
  isDefault: t.exposeBoolean('isDefault', {
    ...deprecated,
    description: 'Whether this is the default key. An inactive key may still be marked so.',
    extensions: { example: true },
  }),
  encryptedKey: t.exposeString('encryptedKey', {
    ...deprecated,
    nullable: true,
    description: 'The key, encrypted for the operator (a compact JWE, RFC 7516); null where none is kept.',
    extensions: { example: null },
  }),
  encryptionVersion: t.exposeInt('encryptionVersion', {
    ...deprecated,
    description: 'Version of the secret under which `encryptedKey` is encrypted; 1 where that is null.',
    extensions: { example: 1 },
  }),
  ...endFields(t, deprecated),
});

builder.objectType(ApiKey, {
  name: 'ApiKey',
  description: 'The record of an API key. The secret itself is not part of it.',
  fields: (t) => apiKeyFields(t),
});

const newApiKey = builder.objectRef<NewApiKey>('NewApiKey').implement({
  description: 'An API key with its secret, which is shown this once.',
  fields: (t) => ({
    ...apiKeyFields(t, {
      deprecationReason: 'Read it from `apiKey`: a cache then knows that it is the same key.',
    }),
    apiKey: t.field({
      type: ApiKey,
      description: 'The record of the key.',
      extensions: { graphqlOnly: true },
      resolve: (made) => made,
    }),
    key: t.exposeString('key', {
      description: 'The secret: 74 characters, of which the first are `keyPrefix`. It cannot be shown again.',
      extensions: { example: 'sk-a1b2c3.0123456789abcdef0123456789abcdef0123456789abcdef01234567ce64f1c9' },
    }),
  }),
});

builder.mutationField('createApiKey', (t) =>
  t.field({
    type: newApiKey,
    description: 'Creates an API key. Your first one becomes your default key.',
    requiredScopes: accountAdmin,
    extensions: {
      input: () => CreateApiKeyInput,
      errors: ['CONFLICT'],
      changesSecret: true,
      example: { lastUsedAt: null },
    },
    args: {
      name: t.arg.string({
        description: 'Display name: 1 to 100 characters, without white space at its ends.',
        extensions: { example: 'Laptop' },
      }),
      expiresAt: t.arg({
        type: 'DateTime',
        description:
          'From then on the key is valid no more. In the future; left out or null: it does not expire.',
        extensions: { example: '2099-01-31T12:00:00.000Z' },
      }),
    },
    resolve: (_root, input, context) => createApiKey(context, input),
  }),
);

builder.mutationField('rotateApiKey', (t) =>
  t.field({
    type: newApiKey,
    description:
      'Gives one of your API keys a new secret. The one before it works for the grace, and never longer than the key.',
    requiredScopes: accountAdmin,
    extensions: { input: () => RotateApiKeyInput, errors: ['CONFLICT'], changesSecret: true },
    args: {
      keyId: t.arg.int({ required: true, description: 'Identifier of the key.', extensions: { example: 1 } }),
      graceSeconds: t.arg.int({
        description: 'How long the secret so far still works, in seconds: 0 to 604800, 0 where left out.',
        extensions: { example: 3600 },
      }),
    },
    resolve: (_root, input, context) => rotateApiKey(context, input),
  }),
);
