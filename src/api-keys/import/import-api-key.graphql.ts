import { issuerArgument, organizationArgument, subjectArgument } from '../../accounts/arguments.ts';
import { keyImporter } from '../../auth/scopes.ts';
import { builder, runs } from '../../graphql/builder.ts';
import { keyArguments } from '../api-key-types.graphql.ts';
import { longestPrefix, longestSecret } from '../verify/imported-keys.ts';
import { type ImportedApiKey, importApiKey } from './import-api-key.ts';
import { leastHidden } from './key-text.ts';

const ImportedApiKeyType = builder.objectRef<ImportedApiKey>('ImportedApiKey').implement({
  description: 'An API key of another service, after its import.',
  fields: (t) => ({
    keyId: t.exposeInt('keyId', { description: 'Id of the key.', example: 1 }),
    userId: t.exposeInt('account', { description: 'Id of the account that owns the key.', example: 1 }),
    isNew: t.exposeBoolean('isNew', {
      description:
        'Whether this call has imported the key. False if it was here before; it then stays as it is, even if it has ended.',
      example: true,
    }),
  }),
});

builder.mutationFields((t) => ({
  importApiKey: t.field({
    type: ImportedApiKeyType,
    description:
      "Imports an API key of another service, for a person. Creates the account if it does not exist. For the provider's servers, which have checked the key against its old stored form, such as bcrypt. Safe to repeat.",
    summary: 'Import an API key',
    requiredScopes: keyImporter,
    errors: ['CONFLICT'],
    args: {
      issuer: t.arg.string(issuerArgument),
      subject: t.arg.string(subjectArgument),
      organization: t.arg.string(organizationArgument),
      key: t.arg.string({
        required: true,
        description: `The whole key, as its owner sends it: at most ${longestSecret} visible ASCII characters, at least ${leastHidden} more than its prefix.`,
        example: `acme_live_${'0'.repeat(40)}`,
      }),
      keyPrefix: t.arg.string({
        required: true,
        description: `How the key begins, so that its owner recognises it: 1–${longestPrefix} characters.`,
        example: 'acme_live_',
      }),
      createdAt: t.arg({
        type: 'DateTime',
        description: 'When the key was created; must not be in the future. Default: now.',
        example: '2026-01-31T12:00:00.000Z',
      }),
      ...keyArguments(t),
    },
    ...runs(importApiKey),
  }),
}));
