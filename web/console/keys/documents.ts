import { graphql } from '../api/graphql.ts';
import { apiKeyParts } from './api-key-parts.ts';

/** A page of the caller's API keys. */
export const apiKeysQuery = graphql(
  `
    query ApiKeys($first: Int!, $after: String) {
      apiKeys(first: $first, after: $after) {
        edges {
          node {
            ...ApiKeyParts
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  `,
  [apiKeyParts],
);

/** How often each of the caller's API keys was verified in the last days. */
export const dailyUseQuery = graphql(`
  query DailyUse($first: Int!, $after: String) {
    apiKeys(first: $first, after: $after) {
      edges {
        node {
          id
          dailyUse {
            allowed
            refused
            reasons
          }
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

/** Creates an API key. Only this response has its secret. */
export const createApiKeyMutation = graphql(`
  mutation CreateApiKey(
    $name: String
    $description: String
    $expiresAt: DateTime
    $permissions: [String!]
    $allowedAddresses: [String!]
    $rateLimit: ApiKeyRateLimitInput
    $quota: ApiKeyQuotaInput
  ) {
    createApiKey(
      name: $name
      description: $description
      expiresAt: $expiresAt
      permissions: $permissions
      allowedAddresses: $allowedAddresses
      rateLimit: $rateLimit
      quota: $quota
    ) {
      apiKey {
        id
        name
      }
      key
    }
  }
`);

/** Deactivates an API key, for good. */
export const deactivateApiKeyMutation = graphql(`
  mutation DeactivateApiKey($keyId: Int!) {
    deactivateApiKey(keyId: $keyId) {
      id
    }
  }
`);
