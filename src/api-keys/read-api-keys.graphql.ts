import { signedIn } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { ApiKeyInput, apiKey } from './api-key.ts';
import { ApiKeyType } from './api-keys.graphql.ts';
import { ApiKeysInput, apiKeys } from './api-keys.ts';
import { defaultApiKey } from './default-api-key.ts';

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
    args: {
      keyId: t.arg.int({ required: true, description: 'Identifier of the key.', example: 1 }),
    },
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
