import { kindOf, mostBytesOf } from '../accounts/account-record.ts';
import { accountIdArgument, reasonArgument } from '../accounts/arguments.ts';
import { operator } from '../auth/scopes.ts';
import { builder, runs } from '../graphql/builder.ts';
import { accountApiKey } from './account-api-key.ts';
import { accountApiKeys } from './account-api-keys.ts';
import { ApiKeyType, keyIdArgument, ofKey, paused, pauseReason } from './api-key-types.graphql.ts';
import { deactivateAccountApiKey } from './deactivate-account-api-key.ts';
import { type FoundApiKey, findApiKey, mostFound } from './find-api-key.ts';
import { mostBytesOf as keyBytes } from './key-parts.ts';
import { pauseAccountApiKey } from './pause-account-api-key.ts';
import { resumeAccountApiKey } from './resume-account-api-key.ts';
import { longestSecret } from './verify/imported-keys.ts';

builder.queryFields((t) => ({
  accountApiKeys: t.connection(
    {
      type: ApiKeyType,
      description: 'Lists the API keys of any account, newest first, including inactive ones. For operators.',
      summary: "List an account's API keys",
      requiredScopes: operator,
      args: { id: t.arg.int(accountIdArgument) },
      ...runs(accountApiKeys),
    },
    { name: 'AccountApiKeyConnection' },
    { name: 'AccountApiKeyEdge' },
  ),
  accountApiKey: t.field({
    type: ApiKeyType,
    description: 'Returns an API key of any account. For operators.',
    summary: "Get an account's API key",
    requiredScopes: operator,
    args: { id: t.arg.int(accountIdArgument), ...keyIdArgument(t) },
    ...runs(accountApiKey),
  }),
}));

const FoundApiKeyType = builder.objectRef<FoundApiKey>('FoundApiKey').implement({
  description: 'An API key and its owner.',
  fields: (t) => ({
    keyId: t.exposeInt('id', { description: 'Id of the key.', example: 1 }),
    keyPrefix: t.exposeString('keyPrefix', {
      description: 'The first characters of the secret.',
      example: 'sk-a1b2c3',
      mostBytes: keyBytes.keyPrefix,
    }),
    name: t.exposeString('name', ofKey.name),
    isActive: t.exposeBoolean('isActive', ofKey.isActive),
    pausedAt: t.expose('pausedAt', ofKey.pausedAt),
    expiresAt: t.expose('expiresAt', ofKey.expiresAt),
    lastUsedAt: t.expose('lastUsedAt', ofKey.lastUsedAt),
    userId: t.exposeInt('account', {
      description: 'Id of the account that owns the key.',
      example: 1,
    }),
    issuer: t.exposeString('issuer', {
      description: "The account's identity provider.",
      example: 'https://id.example.com',
      mostBytes: mostBytesOf.issuer,
    }),
    subject: t.exposeString('subject', {
      description: "The owner's `sub` at that identity provider, or the organization's id.",
      example: 'alice',
      mostBytes: mostBytesOf.subject,
    }),
    ownerKind: t.string({
      description: 'Who owns the key: `person` or `organization`.',
      example: 'person',
      mostBytes: mostBytesOf.kind,
      resolve: ({ kind }) => kindOf(kind),
    }),
    isBlocked: t.exposeBoolean('isBlocked', {
      description: 'Whether the account is blocked.',
      example: false,
    }),
  }),
});

builder.mutationFields((t) => ({
  deactivateAccountApiKey: t.field({
    type: ApiKeyType,
    description: "Deactivates anyone's API key for good. Safe to repeat. For operators.",
    summary: "Deactivate anyone's API key",
    requiredScopes: operator,
    example: { isActive: false, deactivatedAt: '2026-03-31T12:00:00.000Z' },
    args: {
      ...keyIdArgument(t),
      reason: t.arg.string({
        ...reasonArgument,
        example: 'It was found in a public repository.',
      }),
    },
    ...runs(deactivateAccountApiKey),
  }),
  pauseAccountApiKey: t.field({
    type: ApiKeyType,
    description:
      "Pauses anyone's API key: it is refused until an operator resumes it. Safe to repeat. For operators.",
    summary: "Pause anyone's API key",
    requiredScopes: operator,
    errors: ['CONFLICT'],
    example: paused('OPERATOR'),
    args: {
      ...keyIdArgument(t),
      reason: t.arg.string({ ...reasonArgument, example: pauseReason }),
    },
    ...runs(pauseAccountApiKey),
  }),
  resumeAccountApiKey: t.field({
    type: ApiKeyType,
    description: "Resumes anyone's API key, whoever paused it. Safe to repeat. For operators.",
    summary: "Resume anyone's API key",
    requiredScopes: operator,
    errors: ['CONFLICT'],
    args: {
      ...keyIdArgument(t),
      reason: t.arg.string({ ...reasonArgument, example: 'The owner has removed it from the repository.' }),
    },
    ...runs(resumeAccountApiKey),
  }),
  findApiKey: t.field({
    type: [FoundApiKeyType],
    description:
      "Finds an API key's owner by the whole key or its exact `keyPrefix`. Finds inactive keys too. It is a mutation so that a key never appears in a URL. For operators.",
    summary: "Find an API key's owner",
    requiredScopes: operator,
    changesNothing: true,
    atMost: mostFound,
    args: {
      key: t.arg.string({
        description: `The whole key, at most ${longestSecret} characters. Give either the key or its prefix.`,
        example: `sk-a1b2c3.${'0'.repeat(64)}`,
      }),
      keyPrefix: t.arg.string({
        description: 'The exact `keyPrefix` of the key, in place of the whole key.',
        example: null,
      }),
    },
    ...runs(findApiKey),
  }),
}));
