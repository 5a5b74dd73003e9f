import { accountAdmin, signedIn } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { type PrivateKeyStatus, privateKeyStatus } from './private-key-status.ts';
import { RegisterPrivateKeyInput, registerPrivateKey } from './register-private-key.ts';
import { removePrivateKey } from './remove-private-key.ts';

const PrivateKeyStatusType = builder.objectRef<PrivateKeyStatus>('PrivateKeyStatus').implement({
  description: 'Whether you have a private key registered. Never the key itself.',
  fields: (t) => ({
    hasKey: t.exposeBoolean('hasKey', {
      description: 'True when a private key is registered.',
      example: true,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a private key was first registered; null without one.',
      example: '2026-01-31T12:00:00.000Z',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the private key was last replaced; null without one.',
      example: '2026-01-31T12:00:00.000Z',
    }),
  }),
});

builder.queryField('privateKeyStatus', (t) =>
  t.field({
    type: PrivateKeyStatusType,
    description: 'Tells whether you have a private key registered.',
    requiredScopes: signedIn,
    resolve: (_root, _input, context) => privateKeyStatus(context),
  }),
);

builder.mutationField('registerPrivateKey', (t) =>
  t.field({
    type: PrivateKeyStatusType,
    description:
      'Stores your private key, encrypted, in place of any that is there. It is never shown again.',
    requiredScopes: accountAdmin,
    input: () => RegisterPrivateKeyInput,
    changesSecret: true,
    args: {
      privateKey: t.arg.string({
        required: true,
        description: 'A private key of secp256k1: 64 hexadecimal digits, with `0x` before them or without.',
        example: `0x${'0'.repeat(63)}1`,
      }),
    },
    resolve: (_root, input, context) => registerPrivateKey(context, input),
  }),
);

builder.mutationField('removePrivateKey', (t) =>
  t.field({
    type: PrivateKeyStatusType,
    description: 'Forgets your private key. Repeating it changes nothing and answers the same.',
    requiredScopes: accountAdmin,
    example: { hasKey: false, createdAt: null, updatedAt: null },
    resolve: (_root, _input, context) => removePrivateKey(context),
  }),
);
