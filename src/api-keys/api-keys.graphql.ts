import { accountAdmin, signedIn } from '../auth/scopes.ts';
import { builder, runs } from '../graphql/builder.ts';
import { apiKey } from './api-key.ts';
import {
  ApiKeyType,
  keyArguments,
  keyIdArgument,
  NewApiKeyType,
  paused,
  pauseReason,
} from './api-key-types.graphql.ts';
import { apiKeys } from './api-keys.ts';
import { createApiKey } from './create-api-key.ts';
import { deactivateApiKey } from './deactivate-api-key.ts';
import { defaultApiKey } from './default-api-key.ts';
import { longestPauseReason, pauseApiKey } from './pause-api-key.ts';
import { resumeApiKey } from './resume-api-key.ts';
import { longestGrace, rotateApiKey } from './rotate-api-key.ts';
import { setDefaultApiKey } from './set-default-api-key.ts';
import { updateApiKey } from './update-api-key.ts';

builder.queryFields((t) => ({
  apiKeys: t.connection(
    {
      type: ApiKeyType,
      description: 'Lists your API keys, newest first, including inactive ones.',
      summary: 'List your API keys',
      requiredScopes: signedIn,
      limitInRest:
        'Number of keys (0–100). Default: all, or the newest if all are too many for one response.',
      args: {
        isActive: t.arg.boolean({
          description: 'Return only active keys, or only inactive ones.',
          example: true,
        }),
      },
      ...runs(apiKeys),
    },
    { name: 'ApiKeyConnection' },
    { name: 'ApiKeyEdge' },
  ),
  apiKey: t.field({
    type: ApiKeyType,
    description: 'Returns one of your API keys.',
    summary: 'Get an API key',
    requiredScopes: signedIn,
    args: keyIdArgument(t),
    ...runs(apiKey),
  }),
  defaultApiKey: t.field({
    type: ApiKeyType,
    nullable: true,
    description:
      'Returns your default key. If it is inactive, paused, expired or not set: your oldest usable key. Null if you have none.',
    summary: 'Get the default API key',
    requiredScopes: signedIn,
    resolve: (_root, _input, context) => defaultApiKey(context),
  }),
}));

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: NewApiKeyType,
    description: 'Creates an API key. Your first key becomes your default key.',
    summary: 'Create an API key',
    requiredScopes: accountAdmin,
    errors: ['CONFLICT'],
    changesSecret: true,
    example: { lastUsedAt: null },
    args: keyArguments(t),
    ...runs(createApiKey),
  }),
  updateApiKey: t.field({
    type: ApiKeyType,
    description:
      'Updates one of your API keys. Omitted members stay as they are; null clears a member. If the key is inactive or expired, only its name can change.',
    summary: 'Update an API key',
    requiredScopes: accountAdmin,
    errors: ['CONFLICT'],
    takesRecord: true,
    example: { name: 'Laptop', permissions: ['documents.read', 'documents.write'] },
    args: {
      ...keyIdArgument(t),
      ...keyArguments(t),
    },
    ...runs(updateApiKey),
  }),
  setDefaultApiKey: t.field({
    type: ApiKeyType,
    description: 'Makes one of your API keys your default key.',
    summary: 'Set the default API key',
    requiredScopes: accountAdmin,
    errors: ['CONFLICT'],
    args: keyIdArgument(t),
    ...runs(setDefaultApiKey),
  }),
  rotateApiKey: t.field({
    type: NewApiKeyType,
    description:
      'Gives one of your API keys a new secret. The previous secret keeps working for `graceSeconds`, but not past the expiry of the key. With 0, all previous secrets stop at once.',
    summary: 'Rotate an API key',
    requiredScopes: accountAdmin,
    errors: ['CONFLICT'],
    changesSecret: true,
    args: {
      ...keyIdArgument(t),
      graceSeconds: t.arg.int({
        description: `How long the previous secret keeps working, in seconds (0–${longestGrace}, 7 days). Default: 0, it stops at once.`,
        example: 3600,
      }),
    },
    ...runs(rotateApiKey),
  }),
  pauseApiKey: t.field({
    type: ApiKeyType,
    description: 'Pauses one of your API keys: it is refused until you resume it. Safe to repeat.',
    summary: 'Pause an API key',
    requiredScopes: accountAdmin,
    errors: ['CONFLICT'],
    example: paused('OWNER'),
    args: {
      ...keyIdArgument(t),
      reason: t.arg.string({
        description: `The reason, for yourself and the provider: 1–${longestPauseReason} characters.`,
        example: pauseReason,
      }),
    },
    ...runs(pauseApiKey),
  }),
  resumeApiKey: t.field({
    type: ApiKeyType,
    description:
      'Resumes one of your API keys: it works again. Safe to repeat. A key that an operator paused stays paused.',
    summary: 'Resume an API key',
    requiredScopes: accountAdmin,
    errors: ['CONFLICT'],
    args: keyIdArgument(t),
    ...runs(resumeApiKey),
  }),
  deactivateApiKey: t.field({
    type: ApiKeyType,
    description:
      'Deactivates one of your API keys for good. Safe to repeat. To stop a key for some time, pause it.',
    summary: 'Deactivate an API key',
    requiredScopes: accountAdmin,
    example: { isActive: false, deactivatedAt: '2026-03-31T12:00:00.000Z' },
    args: keyIdArgument(t),
    ...runs(deactivateApiKey),
  }),
}));
