import { signedIn } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { type PrivateKeyStatus, privateKeyStatus } from './private-key-status.ts';

const PrivateKeyStatusType = builder.objectRef<PrivateKeyStatus>('PrivateKeyStatus').implement({
  description: 'Whether you have a private key registered. Never the key itself.',
  fields: (t) => ({
    hasKey: t.exposeBoolean('hasKey', {
      description: 'True when a private key is registered.',
      extensions: { example: true },
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a private key was first registered; null without one.',
      extensions: { example: '2026-01-31T12:00:00.000Z' },
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the private key was last replaced; null without one.',
      extensions: { example: '2026-01-31T12:00:00.000Z' },
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
