// What a GraphQL client with a cache of its own is told of Keyward: how it knows that two answers are of one thing.
import { InMemoryCache } from '@apollo/client/cache';
import { relayStylePagination } from '@apollo/client/utilities';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

/** Apollo Client: ids are its own matter; of what a person has once, there is nothing to tell apart. */
export const apolloCache = () =>
  new InMemoryCache({
    typePolicies: {
      AutomationSettings: { keyFields: [] },
      PrivateKeyStatus: { keyFields: [] },
      Query: { fields: { apiKeys: relayStylePagination(['isActive']), auditEvents: relayStylePagination() } },
    },
  });

/** urql with Graphcache: the same, and what is no thing of its own. */
export const urqlCache = () =>
  cacheExchange({
    keys: {
      AutomationSettings: () => 'mine',
      PrivateKeyStatus: () => 'mine',
      NewApiKey: () => null,
      ApiKeyVerification: () => null,
    },
    resolvers: { Query: { apiKeys: relayPagination(), auditEvents: relayPagination() } },
  });

/** Relay, as `getDataID` of its environment: ids are numbers here, and each type counts for itself. */
export const relayDataId = ({ id }: { readonly id?: unknown }, typeName: string): string | undefined => {
  if (typeName === 'AutomationSettings' || typeName === 'PrivateKeyStatus') return typeName;
  return (typeName === 'ApiKey' || typeName === 'AuditEvent') && typeof id === 'number'
    ? `${typeName}:${id}`
    : undefined;
};
