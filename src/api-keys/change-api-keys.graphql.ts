import { accountAdmin } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { ApiKeyType, keyArguments } from './api-keys.graphql.ts';
import { DeactivateApiKeyInput, deactivateApiKey } from './deactivate-api-key.ts';
import { SetDefaultApiKeyInput, setDefaultApiKey } from './set-default-api-key.ts';
import { updateApiKey, updateApiKeyInput } from './update-api-key.ts';

builder.mutationField('deactivateApiKey', (t) =>
  t.field({
    type: ApiKeyType,
    description: 'Deactivates one of your API keys. Repeating it changes nothing and answers the same.',
    requiredScopes: accountAdmin,
    input: () => DeactivateApiKeyInput,
    example: { isActive: false, deactivatedAt: '2026-03-31T12:00:00.000Z' },
    args: {
      keyId: t.arg.int({ required: true, description: 'Identifier of the key.', example: 1 }),
    },
    resolve: (_root, input, context) => deactivateApiKey(context, input),
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
      keyId: t.arg.int({ required: true, description: 'Identifier of the key.', example: 1 }),
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
    args: {
      keyId: t.arg.int({ required: true, description: 'Identifier of the key.', example: 1 }),
    },
    resolve: (_root, input, context) => setDefaultApiKey(context, input),
  }),
);
