import { operator } from '../auth/scopes.ts';
import { builder } from '../graphql/builder.ts';
import { AccountInput, account } from './account.ts';
import { type AccountRecord, longestName, mostBytesOf } from './account-record.ts';
import { AccountsInput, accounts } from './accounts.ts';
import { BlockAccountInput, blockAccount } from './block-account.ts';
import { EraseAccountInput, eraseAccount } from './erase-account.ts';
import { reasonArgument } from './reason.ts';
import { UnblockAccountInput, unblockAccount } from './unblock-account.ts';

/** An account as operators see it. */
const AccountType = builder.objectRef<AccountRecord>('Account').implement({
  description:
    'An account: somebody whom an identity provider has named, and who has written something here.',
  fields: (t) => ({
    id: t.exposeInt('id', {
      description: 'Identifier of the account: `userId` elsewhere.',
      example: 1,
    }),
    issuer: t.exposeString('issuer', {
      description: 'The identity provider.',
      example: 'https://id.example.com',
      mostBytes: mostBytesOf.issuer,
    }),
    subject: t.exposeString('subject', {
      description:
        'Who it is there: `sub` of their access tokens. Where the account was erased, a text that names nobody.',
      example: 'alice',
      mostBytes: mostBytesOf.subject,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it wrote something here first.',
      example: '2026-01-31T12:00:00.000Z',
    }),
    blockedAt: t.expose('blockedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it is blocked; null where it is not.',
      example: null,
    }),
    blockReason: t.exposeString('blockReason', {
      nullable: true,
      description: 'Why it is blocked, in the words of the operator who did it.',
      example: null,
      mostBytes: mostBytesOf.blockReason,
    }),
    erasedAt: t.expose('erasedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was erased; null where it was not.',
      example: null,
    }),
    apiKeyCount: t.exposeInt('apiKeyCount', {
      description: 'How many API keys it has, those that are inactive too.',
      example: 2,
    }),
    activeApiKeyCount: t.exposeInt('activeApiKeyCount', {
      description: 'How many of them are active.',
      example: 1,
    }),
  }),
});

const id = { required: true, description: 'Identifier of the account.', example: 1 } as const;

builder.queryField('accounts', (t) =>
  t.connection(
    {
      type: AccountType,
      description: 'All accounts, newest first. For operators.',
      requiredScopes: operator,
      input: () => AccountsInput,
      args: {
        filter: t.arg.string({
          description: `Only those whose \`subject\` begins with this text: at most ${longestName} characters.`,
          example: 'al',
        }),
        isBlocked: t.arg.boolean({
          description: 'Only those that are blocked, or only those that are not.',
          example: false,
        }),
      },
      resolve: (_root, input, context) => accounts(context, input),
    },
    { name: 'AccountConnection' },
    { name: 'AccountEdge' },
  ),
);

builder.queryField('account', (t) =>
  t.field({
    type: AccountType,
    description: 'Any account. For operators.',
    requiredScopes: operator,
    input: () => AccountInput,
    args: {
      id: t.arg.int(id),
    },
    resolve: (_root, input, context) => account(context, input),
  }),
);

builder.mutationField('blockAccount', (t) =>
  t.field({
    type: AccountType,
    description:
      'Blocks an account: from then on none of its API keys is good, and none of its access tokens. Repeating it changes nothing. For operators.',
    requiredScopes: operator,
    input: () => BlockAccountInput,
    errors: ['CONFLICT'],
    example: {
      blockedAt: '2026-03-31T12:00:00.000Z',
      blockReason: 'Its keys were used to attack others.',
    },
    args: {
      id: t.arg.int(id),
      reason: t.arg.string({
        ...reasonArgument,
        example: 'Its keys were used to attack others.',
      }),
    },
    resolve: (_root, input, context) => blockAccount(context, input),
  }),
);

builder.mutationField('unblockAccount', (t) =>
  t.field({
    type: AccountType,
    description:
      'Ends the block of an account: its API keys and its access tokens are as good as before. Repeating it changes nothing. For operators.',
    requiredScopes: operator,
    input: () => UnblockAccountInput,
    errors: ['CONFLICT'],
    args: {
      id: t.arg.int(id),
      reason: t.arg.string({ ...reasonArgument, example: 'It has changed its keys.' }),
    },
    resolve: (_root, input, context) => unblockAccount(context, input),
  }),
);

builder.mutationField('eraseAccount', (t) =>
  t.field({
    type: AccountType,
    description:
      'Erases an account for good: its API keys, its private key, its settings, and what is personal in its audit trail. Repeating it changes nothing. For operators.',
    requiredScopes: operator,
    input: () => EraseAccountInput,
    errors: ['CONFLICT'],
    example: {
      subject: 'erased:6f2d6e0c-6d0e-4c43-9a0a-0d6b6c9a1a55',
      erasedAt: '2026-03-31T12:00:00.000Z',
      apiKeyCount: 0,
      activeApiKeyCount: 0,
    },
    args: { id: t.arg.int(id) },
    resolve: (_root, input, context) => eraseAccount(context, input),
  }),
);
