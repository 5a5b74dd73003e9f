import { accountAdmin, signedIn } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { ApiKeyInput, apiKey } from './api-key.ts';
import { ApiKeyType, keyArguments, keyIdArgument, NewApiKeyType } from './api-key-types.graphql.ts';
import { ApiKeysInput, apiKeys } from './api-keys.ts';
import { createApiKey, createApiKeyInput } from './create-api-key.ts';
import { DeactivateApiKeyInput, deactivateApiKey } from './deactivate-api-key.ts';
import { defaultApiKey } from './default-api-key.ts';
import { longestGrace, RotateApiKeyInput, rotateApiKey } from './rotate-api-key.ts';
import { SetDefaultApiKeyInput, setDefaultApiKey } from './set-default-api-key.ts';
import { updateApiKey, updateApiKeyInput } from './update-api-key.ts';

builder.queryField('apiKeys', (t) =>
  t.connection(
    {
      type: ApiKeyType,
      description: 'Your API keys, newest first, those that are inactive too.',
      requiredScopes: signedIn,
      input: () => ApiKeysInput,
      limitInRest:
        'How many keys: 0 to 100. Left out: all of them, or the newest where they are too many for one answer.',
      args: {
        isActive: t.arg.boolean({
          description: 'Only those that are active, or only those that are not.',
          example: true,
        }),
      },
      resolve: (_root, input, context) => apiKeys(context, input),
    },
    { name: 'ApiKeyConnection' },
    { name: 'ApiKeyEdge' },
  ),
);

builder.queryField('apiKey', (t) =>
  t.field({
    type: ApiKeyType,
    description: 'One of your API keys.',
    requiredScopes: signedIn,
    input: () => ApiKeyInput,
    args: keyIdArgument(t),
    resolve: (_root, input, context) => apiKey(context, input),
  }),
);

builder.queryField('defaultApiKey', (t) =>
  t.field({
    type: ApiKeyType,
    nullable: true,
    description:
      'Your default key; where it is inactive, expired or unset, the oldest of your keys that can be used; null where there is none.',
    requiredScopes: signedIn,
    resolve: (_root, _input, context) => defaultApiKey(context),
  }),
);

builder.mutationField('createApiKey', (t) =>
  t.field({
    type: NewApiKeyType,
    description: 'Creates an API key. Your first one becomes your default key.',
    requiredScopes: accountAdmin,
    input: createApiKeyInput,
    errors: ['CONFLICT'],
    changesSecret: true,
    example: { lastUsedAt: null },
    args: keyArguments(t),
    resolve: (_root, input, context) => createApiKey(context, input),
  }),
);

builder.mutationField('updateApiKey', (t) =>
  t.field({
    type: ApiKeyType,
    description:
      'Changes what one of your API keys is and may do. What is left out stays as it is; null clears it. Of a key that is inactive or has expired, the name alone can be changed.',
    requiredScopes: accountAdmin,
    input: updateApiKeyInput,
    errors: ['CONFLICT'],
    takesRecord: true,
    example: { name: 'Laptop', permissions: ['documents.read', 'documents.write'] },
    args: {
      ...keyIdArgument(t),
      ...keyArguments(t),
    },
    resolve: (_root, input, context) => updateApiKey(context, input),
  }),
);

builder.mutationField('setDefaultApiKey', (t) =>
  t.field({
    type: ApiKeyType,
    description: 'Makes one of your API keys your default key, in place of any other.',
    requiredScopes: accountAdmin,
    input: () => SetDefaultApiKeyInput,
    errors: ['CONFLICT'],
    args: keyIdArgument(t),
    resolve: (_root, input, context) => setDefaultApiKey(context, input),
  }),
);

builder.mutationField('rotateApiKey', (t) =>
  t.field({
    type: NewApiKeyType,
    description:
      'Gives one of your API keys a new secret. The one before it works for the grace, and never longer than the key; without a grace, no older secret works any more.',
    requiredScopes: accountAdmin,
    input: () => RotateApiKeyInput,
    errors: ['CONFLICT'],
    changesSecret: true,
    args: {
      ...keyIdArgument(t),
      graceSeconds: t.arg.int({
        description: `How long the secret so far still works, in seconds: 0 to ${longestGrace}, 0 where left out.`,
        example: 3600,
      }),
    },
    resolve: (_root, input, context) => rotateApiKey(context, input),
  }),
);

builder.mutationField('deactivateApiKey', (t) =>
  t.field({
    type: ApiKeyType,
    description: 'Deactivates one of your API keys. Repeating it changes nothing and answers the same.',
    requiredScopes: accountAdmin,
    input: () => DeactivateApiKeyInput,
    example: { isActive: false, deactivatedAt: '2026-03-31T12:00:00.000Z' },
    args: keyIdArgument(t),
    resolve: (_root, input, context) => deactivateApiKey(context, input),
  }),
);
