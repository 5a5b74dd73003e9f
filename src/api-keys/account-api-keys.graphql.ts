import { mostBytesOf } from '../accounts/account-record.ts';
import { reasonArgument } from '../accounts/reason.ts';
import { operator } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { AccountApiKeysInput, accountApiKeys } from './account-api-keys.ts';
import { ApiKeyType, keyIdArgument } from './api-key-types.graphql.ts';
import { DeactivateAccountApiKeyInput, deactivateAccountApiKey } from './deactivate-account-api-key.ts';
import { FindApiKeyInput, type FoundApiKey, findApiKey, mostFound } from './find-api-key.ts';
import { mostBytesOf as keyBytes } from './key-parts.ts';
import { longestSecret } from './verify/imported-keys.ts';

builder.queryField('accountApiKeys', (t) =>
  t.connection(
    {
      type: ApiKeyType,
      description: 'The API keys of any account, newest first, those that are inactive too. For operators.',
      requiredScopes: operator,
      input: () => AccountApiKeysInput,
      args: {
        id: t.arg.int({
          required: true,
          description: 'Identifier of the account.',
          example: 1,
        }),
      },
      resolve: (_root, input, context) => accountApiKeys(context, input),
    },
    { name: 'AccountApiKeyConnection' },
    { name: 'AccountApiKeyEdge' },
  ),
);

builder.mutationField('deactivateAccountApiKey', (t) =>
  t.field({
    type: ApiKeyType,
    description:
      "Deactivates anybody's API key. Repeating it changes nothing and answers the same. For operators.",
    requiredScopes: operator,
    input: () => DeactivateAccountApiKeyInput,
    example: { isActive: false, deactivatedAt: '2026-03-31T12:00:00.000Z' },
    args: {
      ...keyIdArgument(t),
      reason: t.arg.string({
        ...reasonArgument,
        example: 'It was found in a public repository.',
      }),
    },
    resolve: (_root, input, context) => deactivateAccountApiKey(context, input),
  }),
);

const FoundApiKeyType = builder.objectRef<FoundApiKey>('FoundApiKey').implement({
  description: 'An API key, and whose it is.',
  fields: (t) => ({
    keyId: t.exposeInt('id', { description: 'Identifier of the key.', example: 1 }),
    keyPrefix: t.exposeString('keyPrefix', {
      description: 'First characters of the key.',
      example: 'sk-a1b2c3',
      mostBytes: keyBytes.keyPrefix,
    }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Display name.',
      example: 'Laptop',
      mostBytes: keyBytes.name,
    }),
    isActive: t.exposeBoolean('isActive', {
      description: 'Whether the key is active.',
      example: true,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From then on the key is valid no more; null where it does not expire.',
      example: '2099-01-31T12:00:00.000Z',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last verified, to half a minute; null where it never was.',
      example: '2026-02-28T12:00:00.000Z',
    }),
    userId: t.exposeInt('account', {
      description: 'Identifier of the account that the key belongs to.',
      example: 1,
    }),
    issuer: t.exposeString('issuer', {
      description: "The account's identity provider.",
      example: 'https://id.example.com',
      mostBytes: mostBytesOf.issuer,
    }),
    subject: t.exposeString('subject', {
      description: 'Who it is there.',
      example: 'alice',
      mostBytes: mostBytesOf.subject,
    }),
    isBlocked: t.exposeBoolean('isBlocked', {
      description: 'Whether the account is blocked.',
      example: false,
    }),
  }),
});

builder.mutationField('findApiKey', (t) =>
  t.field({
    type: [FoundApiKeyType],
    description:
      'Whose an API key is: by the key, or by its first characters. It changes nothing, and is a mutation all the same: so a key never stands in a URL. For operators.',
    requiredScopes: operator,
    input: () => FindApiKeyInput,
    changesNothing: true,
    atMost: mostFound,
    args: {
      key: t.arg.string({
        description: `The whole key: at most ${longestSecret} characters.`,
        example: `sk-a1b2c3.${'0'.repeat(64)}`,
      }),
      keyPrefix: t.arg.string({
        description: 'In its place, the first characters of the key, as `keyPrefix` has them elsewhere.',
        example: null,
      }),
    },
    resolve: (_root, input, context) => findApiKey(context, input),
  }),
);
