import { accountActor, operator, signedIn } from '../auth/scopes.ts';
import { mostOrganizations } from '../config/values/organizations.ts';
import type { Account } from '../database/tables.ts';
import { builder, runs, timeOrNull } from '../graphql/builder.ts';
import { account } from './account.ts';
import { type AccountRecord, kindOf, longestName, mostBytesOf } from './account-record.ts';
import { accounts } from './accounts.ts';
import {
  accountIdArgument,
  issuerArgument,
  organizationArgument,
  reasonArgument,
  subjectArgument,
} from './arguments.ts';
import { blockAccount } from './block-account.ts';
import { type AccountReference, ensureAccount } from './ensure-account.ts';
import { eraseAccount } from './erase-account.ts';
import { type MyAccount, myAccounts } from './my-accounts.ts';
import { unblockAccount } from './unblock-account.ts';

const issuerField = {
  description: 'The identity provider: `iss` of the access tokens.',
  example: 'https://id.example.com',
  mostBytes: mostBytesOf.issuer,
};
const subjectField = {
  description: "The person, `sub` of the access tokens; or the organization's id in them.",
  example: 'alice',
  mostBytes: mostBytesOf.subject,
};
const kindWords = {
  description: 'Whose account it is: `person` or `organization`.',
  example: 'person',
  mostBytes: mostBytesOf.kind,
};
const kindField = { ...kindWords, resolve: ({ kind }: Pick<Account, 'kind'>) => kindOf(kind) };
const createdAtField = {
  type: 'DateTime',
  description: 'When the account was created.',
  example: '2026-01-31T12:00:00.000Z',
} as const;

/** An account as operators see it. */
const AccountType = builder.objectRef<AccountRecord>('Account').implement({
  description: 'The account of a person or an organization, created with the first change.',
  fields: (t) => ({
    id: t.exposeInt('id', {
      description: 'Id of the account, elsewhere called `userId`.',
      example: 1,
    }),
    issuer: t.exposeString('issuer', issuerField),
    subject: t.exposeString('subject', {
      ...subjectField,
      description: `${subjectField.description} If the account was erased, a random text.`,
    }),
    kind: t.string(kindField),
    createdAt: t.expose('createdAt', createdAtField),
    blockedAt: t.expose('blockedAt', {
      ...timeOrNull,
      description: 'When the account was blocked. Null if it is not blocked.',
      example: null,
    }),
    blockReason: t.exposeString('blockReason', {
      nullable: true,
      description: "The operator's reason for the block. Null if the account is not blocked.",
      example: null,
      mostBytes: mostBytesOf.blockReason,
    }),
    erasedAt: t.expose('erasedAt', {
      ...timeOrNull,
      description: 'When the account was erased. Null if it was not.',
      example: null,
    }),
    apiKeyCount: t.exposeInt('apiKeyCount', {
      description: 'Number of API keys, including inactive ones.',
      example: 2,
    }),
    activeApiKeyCount: t.exposeInt('activeApiKeyCount', {
      description: 'Number of active API keys.',
      example: 1,
    }),
  }),
});

builder.queryFields((t) => ({
  accounts: t.connection(
    {
      type: AccountType,
      description: 'Lists all accounts, newest first. For operators.',
      summary: 'List accounts',
      requiredScopes: operator,
      args: {
        filter: t.arg.string({
          description: `Return only accounts whose \`subject\` contains this text, ignoring case (at most ${longestName} characters): first those that begin with it, then the others, each newest first. With SQLite, only the case of A to Z is ignored.`,
          example: 'al',
        }),
        isBlocked: t.arg.boolean({
          description: 'Return only blocked accounts, or only those that are not blocked.',
          example: false,
        }),
      },
      ...runs(accounts),
    },
    { name: 'AccountConnection' },
    { name: 'AccountEdge' },
  ),
  account: t.field({
    type: AccountType,
    description: 'Returns any account. For operators.',
    summary: 'Get an account',
    requiredScopes: operator,
    args: { id: t.arg.int(accountIdArgument) },
    ...runs(account),
  }),
}));

const MyAccountType = builder.objectRef<MyAccount>('MyAccount').implement({
  description: 'An account for which you can call.',
  fields: (t) => ({
    userId: t.exposeInt('userId', {
      nullable: true,
      description: 'Id of the account. Null if it does not exist yet: the first change creates it.',
      example: 1,
    }),
    kind: t.exposeString('kind', kindWords),
    organizationId: t.exposeString('organizationId', {
      nullable: true,
      description:
        "The organization's id at the identity provider: the value of `Keyward-Organization`. Null for your own account.",
      example: null,
      mostBytes: mostBytesOf.subject,
    }),
    name: t.exposeString('name', {
      nullable: true,
      description:
        "The organization's name. Null for your own account, and if the access token does not tell.",
      example: null,
      mostBytes: mostBytesOf.subject,
    }),
    role: t.exposeString('role', {
      description: 'What you may do there: `manage` (see and change) or `read`.',
      example: 'manage',
      mostBytes: 8,
    }),
  }),
});

builder.queryFields((t) => ({
  myAccounts: t.field({
    type: [MyAccountType],
    description:
      'Lists the accounts for which you can call: your own, then those of the organizations in your access token. Of a call for one of them, that one.',
    summary: 'List your accounts',
    requiredScopes: signedIn,
    atMost: mostOrganizations + 1,
    usually: 10,
    ...runs(myAccounts),
  }),
}));

/** An account as the provider's servers see it. */
const AccountReferenceType = builder.objectRef<AccountReference>('AccountReference').implement({
  description: 'The account of a person or an organization, for a server that acts for it.',
  fields: (t) => ({
    userId: t.exposeInt('account', {
      description: 'Id of the account: the value of `Keyward-Account`.',
      example: 1,
    }),
    issuer: t.exposeString('issuer', issuerField),
    subject: t.exposeString('subject', subjectField),
    kind: t.string(kindField),
    createdAt: t.expose('createdAt', createdAtField),
    isBlocked: t.exposeBoolean('isBlocked', {
      description: 'Whether an operator has blocked the account.',
      example: false,
    }),
  }),
});

builder.mutationFields((t) => ({
  ensureAccount: t.field({
    type: AccountReferenceType,
    description:
      "Returns the account of a person, by issuer and subject, or of an organization. Creates it if it does not exist. Safe to repeat. For the provider's servers.",
    summary: 'Get or create an account',
    requiredScopes: accountActor,
    // A billing server may create accounts as well.
    orScope: 'accounts.entitle',
    args: {
      issuer: t.arg.string(issuerArgument),
      subject: t.arg.string(subjectArgument),
      organization: t.arg.string(organizationArgument),
    },
    ...runs(ensureAccount),
  }),
  blockAccount: t.field({
    type: AccountType,
    description:
      'Blocks an account: all its API keys and access tokens are refused at once. Safe to repeat. For operators.',
    summary: 'Block an account',
    requiredScopes: operator,
    errors: ['CONFLICT'],
    example: {
      blockedAt: '2026-03-31T12:00:00.000Z',
      blockReason: 'Its keys were used to attack others.',
    },
    args: {
      id: t.arg.int(accountIdArgument),
      reason: t.arg.string({
        ...reasonArgument,
        example: 'Its keys were used to attack others.',
      }),
    },
    ...runs(blockAccount),
  }),
  unblockAccount: t.field({
    type: AccountType,
    description:
      'Unblocks an account: its API keys and access tokens work again. Safe to repeat. For operators.',
    summary: 'Unblock an account',
    requiredScopes: operator,
    errors: ['CONFLICT'],
    args: {
      id: t.arg.int(accountIdArgument),
      reason: t.arg.string({ ...reasonArgument, example: 'It has changed its keys.' }),
    },
    ...runs(unblockAccount),
  }),
  eraseAccount: t.field({
    type: AccountType,
    description:
      'Erases an account for good: its API keys, private key, settings, and the personal data in its audit events. Safe to repeat. For operators.',
    summary: 'Erase an account',
    requiredScopes: operator,
    errors: ['CONFLICT'],
    example: {
      subject: 'erased:6f2d6e0c-6d0e-4c43-9a0a-0d6b6c9a1a55',
      erasedAt: '2026-03-31T12:00:00.000Z',
      apiKeyCount: 0,
      activeApiKeyCount: 0,
    },
    args: { id: t.arg.int(accountIdArgument) },
    ...runs(eraseAccount),
  }),
}));
