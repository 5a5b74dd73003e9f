import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { type MercuriusOptions, mercurius } from 'mercurius';
import { accountAdmin, type Caller, requireScopes, signedIn } from './caller.ts';
import { typeDefs } from './graphql-schema.ts';
import type { ApiKey, AutomationSettings, PrivateKeyStatus } from './records.ts';
import { Refusal } from './refusal.ts';
import type { RequestSource } from './request-source.ts';
import { checkSessionDuration, type SettingsInput } from './settings-input.ts';
import type { Store } from './store.ts';

interface Context {
  readonly caller: Caller;
  readonly source: RequestSource;
}

/** GraphQL's names for the members of a record; the dates are written already. */
const fieldsOf = {
  PrivateKeyStatus: {
    hasKey: ({ has_key }: PrivateKeyStatus) => has_key,
    createdAt: ({ created_at }: PrivateKeyStatus) => created_at,
    updatedAt: ({ updated_at }: PrivateKeyStatus) => updated_at,
  },
  ApiKey: {
    keyPrefix: ({ key_prefix }: ApiKey) => key_prefix,
    createdAt: ({ created_at }: ApiKey) => created_at,
    isActive: ({ is_active }: ApiKey) => is_active,
    isDefault: ({ is_default }: ApiKey) => is_default,
    encryptedKey: ({ encrypted_key }: ApiKey) => encrypted_key,
    encryptionVersion: ({ encryption_version }: ApiKey) => encryption_version,
    expiresAt: ({ expires_at }: ApiKey) => expires_at,
    deactivatedAt: ({ deactivated_at }: ApiKey) => deactivated_at,
    lastUsedAt: ({ last_used_at }: ApiKey) => last_used_at,
  },
  AutomationSettings: {
    isEnabled: ({ is_enabled }: AutomationSettings) => is_enabled,
    sessionDuration: ({ session_duration }: AutomationSettings) => session_duration,
    userId: ({ user_id }: AutomationSettings) => user_id,
    createdAt: ({ created_at }: AutomationSettings) => created_at,
    updatedAt: ({ updated_at }: AutomationSettings) => updated_at,
  },
};

const rootFields = (store: Store) => ({
  Query: {
    privateKeyStatus: (_root: unknown, _input: unknown, { caller }: Context) => {
      requireScopes(caller, signedIn);
      return store.privateKeyStatus(caller);
    },
  },
  Mutation: {
    deactivateApiKey: (_root: unknown, { keyId }: { keyId: number }, { caller, source }: Context) => {
      requireScopes(caller, accountAdmin);
      return store.deactivateApiKey(caller, keyId, source);
    },
    updateAutomationSettings: (_root: unknown, input: SettingsInput, { caller, source }: Context) => {
      requireScopes(caller, signedIn);
      checkSessionDuration(input.sessionDuration);
      return store.updateAutomationSettings(caller, input, source);
    },
  },
});

/** What is not known is not shown. */
const errorFormatter: MercuriusOptions['errorFormatter'] = ({ errors = [] }) => {
  const refusal = errors[0]?.originalError;
  const known = refusal instanceof Refusal;
  const message = known ? refusal.message : 'Internal Server Error';
  const code = known ? refusal.code : 'INTERNAL_SERVER_ERROR';
  return {
    statusCode: known ? refusal.status : 500,
    response: { data: null, errors: [new GraphQLError(message, { extensions: { code } })] },
  };
};

/** The same operations as GraphQL. */
export const graphql: FastifyPluginAsync<{
  store: Store;
  authenticate: (request: FastifyRequest) => Promise<void>;
  /** After how many runs a document is compiled; 0: never. */
  jit: number;
}> = async (app, { store, authenticate, jit }) => {
  app.addHook('onRequest', authenticate);
  await app.register(mercurius, {
    schema: typeDefs,
    resolvers: { ...fieldsOf, ...rootFields(store) } as never,
    jit,
    context: ({ user, id, ip }) => ({ caller: user, source: { id, address: ip } }),
    errorFormatter,
  });
};
