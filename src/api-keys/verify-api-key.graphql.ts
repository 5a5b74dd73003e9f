import { keyVerifier } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { VerifyApiKeyInput, verifyApiKey } from './verify-api-key.ts';
import type { ApiKeyVerification } from './verify-secret.ts';

const ApiKeyVerificationType = builder.objectRef<ApiKeyVerification>('ApiKeyVerification').implement({
  description: 'Whether an API key is valid, and whose it is.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', {
      description: 'Whether the key lets its bearer in, at this moment.',
      extensions: { example: true },
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why it does not: `not_found` (unknown, malformed or wrong), `inactive` (deactivated), `expired`, or `rotated` (it has a new secret, and the time of the old one is over); null where it is valid.',
      extensions: { example: null },
    }),
    keyId: t.exposeInt('keyId', {
      nullable: true,
      description: 'Identifier of the key; null where it is not found, as all that follows.',
      extensions: { example: 1 },
    }),
    userId: t.exposeInt('userId', {
      nullable: true,
      description: 'Identifier of the account that the key belongs to.',
      extensions: { example: 1 },
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From then on the key is valid no more; null where it does not expire.',
      extensions: { example: '2099-01-31T12:00:00.000Z' },
    }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Display name.',
      extensions: { example: 'Laptop' },
    }),
  }),
});

builder.mutationField('verifyApiKey', (t) =>
  t.field({
    type: ApiKeyVerificationType,
    description:
      "Verifies an API key at a provider's door. It changes nothing, and is a mutation all the same: so a key never stands in a URL.",
    requiredScopes: keyVerifier,
    extensions: { input: () => VerifyApiKeyInput, changesNothing: true },
    args: {
      key: t.arg.string({
        required: true,
        description: 'The API key as a client sent it: at most 1000 characters.',
        extensions: { example: `sk-a1b2c3.${'0'.repeat(64)}` },
      }),
    },
    resolve: (_root, input, context) => verifyApiKey(context, input),
  }),
);
