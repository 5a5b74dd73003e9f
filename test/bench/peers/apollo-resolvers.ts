import type { EntityManager } from '@mikro-orm/core';
import { GraphQLScalarType } from 'graphql';
import {
  Account,
  type AccountId,
  ApiKey,
  AuditEvent,
  AutomationSettings,
  PrivateKey,
} from '../../../src/database/tables.ts';
import { accountAdmin, type Caller, requireScopes, signedIn } from './caller.ts';
import { keyNotFound } from './refusal.ts';
import type { RequestSource } from './request-source.ts';
import { checkSessionDuration, type SettingsInput } from './settings-input.ts';

/** What each request has. */
export interface Context {
  readonly caller: Caller;
  /** The request's own fork. */
  readonly em: EntityManager;
  readonly source: RequestSource;
}

/** Notes a change, to be written with it. */
const audit = (
  { em, source: { id: request, address } }: Context,
  event: { account: AccountId; action: string; target: number | null },
) => em.create(AuditEvent, { ...event, request, address, createdAt: new Date() });

/** A context whose entity manager writes all that `run` does in one transaction. */
const transactional = <Result>(context: Context, run: (context: Context) => Promise<Result>) =>
  context.em.transactional((em) => run({ ...context, em }));

const findAccount = ({ caller: { issuer, subject }, em }: Context) =>
  em.findOne(Account, { issuer, subject });

async function privateKeyStatus(context: Context) {
  requireScopes(context.caller, signedIn);
  const account = await findAccount(context);
  const privateKey = account && (await context.em.findOne(PrivateKey, { account: account.id }));
  return {
    hasKey: privateKey !== null,
    createdAt: privateKey?.createdAt ?? null,
    updatedAt: privateKey?.updatedAt ?? null,
  };
}

async function deactivateApiKey(context: Context, keyId: number) {
  requireScopes(context.caller, accountAdmin);
  const account = await findAccount(context);
  const apiKey = account && (await context.em.findOne(ApiKey, { id: keyId, account: account.id }));
  if (!apiKey) throw keyNotFound();
  if (!apiKey.isActive) return apiKey;
  return transactional(context, async (inner) => {
    const found = await inner.em.findOneOrFail(ApiKey, { id: keyId, isActive: true });
    found.isActive = false;
    found.deactivatedAt = new Date();
    audit(inner, { account: found.account, action: 'api-key-deactivated', target: keyId });
    return found;
  });
}

async function ensureAccount(context: Context) {
  const found = await findAccount(context);
  if (found) return found;
  const { issuer, subject } = context.caller;
  const account = context.em.create(Account, { issuer, subject, createdAt: new Date() });
  await context.em.flush();
  audit(context, { account: account.id, action: 'account-created', target: null });
  return account;
}

async function updateAutomationSettings(context: Context, input: SettingsInput) {
  requireScopes(context.caller, signedIn);
  checkSessionDuration(input.sessionDuration);
  return transactional(context, async (inner) => {
    const { id: account } = await ensureAccount(inner);
    const now = new Date();
    const settings =
      (await inner.em.findOne(AutomationSettings, { account })) ??
      inner.em.create(AutomationSettings, { account, createdAt: now, updatedAt: now });
    const { isEnabled = settings.isEnabled, sessionDuration = settings.sessionDuration } = input;
    const isSame = settings.isEnabled === isEnabled && settings.sessionDuration === sessionDuration;
    if (isSame) return settings;
    Object.assign(settings, { isEnabled, sessionDuration });
    settings.updatedAt = now;
    audit(inner, { account, action: 'automation-settings-updated', target: null });
    return settings;
  });
}

/**
 * The resolvers.
 * @param asGraphQLError makes a refusal what Apollo Server answers with its code and status
 */
export function resolvers(asGraphQLError: (error: unknown) => unknown) {
  const field =
    <Input>(run: (context: Context, input: Input) => Promise<unknown>) =>
    async (_root: unknown, input: Input, context: Context) => {
      try {
        return await run(context, input);
      } catch (error) {
        throw asGraphQLError(error);
      }
    };
  return {
    DateTime: new GraphQLScalarType<Date, string>({
      name: 'DateTime',
      serialize: (value) => (value as Date).toISOString(),
    }),
    AutomationSettings: { userId: ({ account }: AutomationSettings) => account },
    Query: { privateKeyStatus: field(privateKeyStatus) },
    Mutation: {
      deactivateApiKey: field((context, { keyId }: { keyId: number }) => deactivateApiKey(context, keyId)),
      updateAutomationSettings: field(updateAutomationSettings),
    },
  };
}
