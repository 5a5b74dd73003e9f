import { accountAdmin, signedIn } from '../auth/scopes.ts';
import { builder, runs, timeOrNull } from '../graphql/builder.ts';
import { apiKeySecrets, secretsOf, type WorkingSecret } from './api-key-secrets.ts';
import { ApiKeyType, keyIdArgument } from './api-key-types.graphql.ts';
import { endApiKeySecret } from './end-api-key-secret.ts';
import { mostBytesOf } from './key-parts.ts';
import { mostSecrets } from './rotate-api-key.ts';

const SecretType = builder.objectRef<WorkingSecret>('ApiKeySecret').implement({
  description: 'A secret of an API key that works, without its text.',
  fields: (t) => ({
    prefix: t.exposeString('keyPrefix', {
      nullable: true,
      description:
        'Everything before the dot of the secret. Null for a previous secret that was replaced before Keyward kept this.',
      example: 'sk-a1b2c3',
      mostBytes: mostBytesOf.keyPrefix,
    }),
    createdAt: t.expose('createdAt', {
      ...timeOrNull,
      description:
        'When the secret was created. Null for an imported secret, or if Keyward did not keep this yet.',
      example: '2026-01-31T12:00:00.000Z',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      ...timeOrNull,
      description:
        'When the secret last passed a verification, written up to 30 seconds late. Null if it never has.',
      example: '2026-02-28T12:00:00.000Z',
    }),
    endsAt: t.expose('worksUntil', {
      ...timeOrNull,
      description: 'When a previous secret stops working. Null for the current secret.',
      example: null,
    }),
  }),
});

builder.objectField(ApiKeyType, 'secrets', (t) =>
  t.field({
    type: [SecretType],
    description: 'The secrets that work, the current one first. Empty if the key is inactive or expired.',
    atMost: mostSecrets,
    usually: 1,
    notInRest: true,
    resolve: ({ id }, _args, { db }) => secretsOf(db, id),
  }),
);

builder.queryFields((t) => ({
  apiKeySecrets: t.field({
    type: [SecretType],
    description:
      'Lists the secrets of one of your API keys that work, the current one first. Empty if the key is inactive or expired.',
    summary: 'List secrets of a key',
    requiredScopes: signedIn,
    atMost: mostSecrets,
    args: keyIdArgument(t),
    ...runs(apiKeySecrets),
  }),
}));

builder.mutationFields((t) => ({
  endApiKeySecret: t.field({
    type: ApiKeyType,
    description:
      'Ends a previous secret of one of your API keys at once, before its grace period is over. The current secret continues to work. Safe to repeat.',
    summary: 'End a previous secret',
    requiredScopes: accountAdmin,
    errors: ['CONFLICT'],
    args: {
      ...keyIdArgument(t),
      prefix: t.arg.string({
        required: true,
        description: 'Everything before the dot of the secret.',
        example: 'sk-d4e5f6',
      }),
    },
    ...runs(endApiKeySecret),
  }),
}));
