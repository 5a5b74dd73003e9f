// Settings for GraphQL clients with a cache: how a client recognises that two responses contain the same object.
import { InMemoryCache } from '@apollo/client/cache';
import { relayStylePagination } from '@apollo/client/utilities';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

/** Apollo Client knows objects by their ids. A person has only one of each of these, so they need no id. */
export const apolloCache = () =>
  new InMemoryCache({
    typePolicies: {
      AutomationSettings: { keyFields: [] },
      PrivateKeyStatus: { keyFields: [] },
      Query: { fields: { apiKeys: relayStylePagination(['isActive']), auditEvents: relayStylePagination() } },
    },
  });

/** urql with Graphcache: the same, and the types whose objects belong to another object. */
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

/** Relay, as `getDataID` of its environment. Keyward's ids are numbers, and unique only within a type. */
export const relayDataId = ({ id }: { readonly id?: unknown }, typeName: string): string | undefined => {
  if (typeName === 'AutomationSettings' || typeName === 'PrivateKeyStatus') return typeName;
  return (typeName === 'ApiKey' || typeName === 'AuditEvent') && typeof id === 'number'
    ? `${typeName}:${id}`
    : undefined;
};
