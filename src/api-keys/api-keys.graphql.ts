import { accountAdmin } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { ApiKey } from './api-key.entity.ts';
import { deactivateApiKey } from './deactivate-api-key.ts';

builder.objectType(ApiKey, {
  name: 'ApiKey',
  description: 'The record of an API key. The secret itself is not part of it.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Identifier of the key.', extensions: { example: 1 } }),
    keyPrefix: t.exposeString('keyPrefix', {
      description: 'First characters of the key, to tell keys apart.',
      extensions: { example: 'sk-a1b2c3' },
    }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Display name.',
      extensions: { example: 'Laptop' },
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the key was created.',
      extensions: { example: '2026-01-31T12:00:00.000Z' },
    }),
    isActive: t.exposeBoolean('isActive', {
      description: 'Whether the key is active.',
      extensions: { example: false },
    }),
    isDefault: t.exposeBoolean('isDefault', {
      description: 'Whether this is the default key. An inactive key may still be marked so.',
      extensions: { example: true },
    }),
    encryptedKey: t.exposeString('encryptedKey', {
      nullable: true,
      description: 'The key, sealed as a compact JWE; null where sealing is not configured.',
      extensions: { example: null },
    }),
    encryptionVersion: t.exposeInt('encryptionVersion', {
      description: 'Version of the key-encryption key that sealed `encryptedKey`; 1 where nothing is sealed.',
      extensions: { example: 1 },
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From then on the key is valid no more; null where it does not expire.',
      extensions: { example: '2027-01-31T12:00:00.000Z' },
    }),
    deactivatedAt: t.expose('deactivatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was deactivated; null while it is active.',
      extensions: { example: null },
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last verified, to half a minute; null where it never was.',
      extensions: { example: '2026-02-28T12:00:00.000Z' },
    }),
  }),
});

builder.mutationField('deactivateApiKey', (t) =>
  t.field({
    type: ApiKey,
    description: 'Deactivates one of your API keys. Repeating it changes nothing and answers the same.',
    requiredScopes: accountAdmin,
    args: {
      keyId: t.arg.int({ required: true, description: 'Identifier of the key.', extensions: { example: 1 } }),
    },
    resolve: (_root, input, context) => deactivateApiKey(context, input),
  }),
);
