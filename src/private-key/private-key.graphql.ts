import { accountAdmin, signedIn } from '../auth/scopes.ts';
import { builder, runs, timeOrNull } from '../graphql/builder.ts';
import { type PrivateKeyStatus, privateKeyStatus } from './private-key-status.ts';
import { registerPrivateKey } from './register-private-key.ts';
import { removePrivateKey } from './remove-private-key.ts';

const PrivateKeyStatusType = builder.objectRef<PrivateKeyStatus>('PrivateKeyStatus').implement({
  description: 'Whether you have a private key. Never the key itself.',
  fields: (t) => ({
    hasKey: t.exposeBoolean('hasKey', {
      description: 'Whether you have a private key.',
      example: true,
    }),
    fingerprint: t.exposeString('fingerprint', {
      nullable: true,
      description:
        'Tells which private key you have: the SHA-256 JWK thumbprint (RFC 7638) of its public key. Null if you have none, or registered it before Keyward stored fingerprints.',
      example: '2JF8vg9etJzjFwZwmkvhBLLZ0bfMVVOPivYR5lFtcec',
      // 43 characters, and quotes.
      mostBytes: 45,
      notInRest: true,
    }),
    createdAt: t.expose('createdAt', {
      ...timeOrNull,
      description:
        'Since when you have had a private key; replacing it keeps this time. Null if you have none.',
      example: '2026-01-31T12:00:00.000Z',
    }),
    updatedAt: t.expose('updatedAt', {
      ...timeOrNull,
      description: 'When your private key was last registered or replaced. Null if you have none.',
      example: '2026-01-31T12:00:00.000Z',
    }),
  }),
});

builder.queryFields((t) => ({
  privateKeyStatus: t.field({
    type: PrivateKeyStatusType,
    description: 'Returns whether you have a private key.',
    summary: 'Get the private key status',
    requiredScopes: signedIn,
    resolve: (_root, _input, context) => privateKeyStatus(context),
  }),
}));

builder.mutationFields((t) => ({
  registerPrivateKey: t.field({
    type: PrivateKeyStatusType,
    description:
      'Stores your private key, encrypted. Replaces the previous one. The key is never shown again.',
    summary: 'Register a private key',
    requiredScopes: accountAdmin,
    changesSecret: true,
    args: {
      privateKey: t.arg.string({
        required: true,
        description: 'A secp256k1 private key: 64 hexadecimal digits, with or without a leading `0x`.',
        example: `0x${'0'.repeat(63)}1`,
      }),
    },
    ...runs(registerPrivateKey),
  }),
  removePrivateKey: t.field({
    type: PrivateKeyStatusType,
    description: 'Deletes your private key. Safe to repeat.',
    summary: 'Delete the private key',
    requiredScopes: accountAdmin,
    example: { hasKey: false, createdAt: null, updatedAt: null },
    resolve: (_root, _input, context) => removePrivateKey(context),
  }),
}));
