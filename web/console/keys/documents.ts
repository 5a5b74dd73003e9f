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

/** One of the caller's API keys. */
export const apiKeyQuery = graphql(
  `
    query ApiKey($keyId: Int!) {
      apiKey(keyId: $keyId) {
        ...ApiKeyParts
      }
    }
  `,
  [apiKeyParts],
);

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

/** Gives an API key a new secret. Only this response has it. */
export const rotateApiKeyMutation = graphql(`
  mutation RotateApiKey($keyId: Int!, $graceSeconds: Int) {
    rotateApiKey(keyId: $keyId, graceSeconds: $graceSeconds) {
      key
    }
  }
`);

/** Changes the fields of an API key that are given; null clears one. */
export const updateApiKeyMutation = graphql(`
  mutation UpdateApiKey(
    $keyId: Int!
    $name: String
    $description: String
    $expiresAt: DateTime
    $permissions: [String!]
    $allowedAddresses: [String!]
    $rateLimit: ApiKeyRateLimitInput
    $quota: ApiKeyQuotaInput
  ) {
    updateApiKey(
      keyId: $keyId
      name: $name
      description: $description
      expiresAt: $expiresAt
      permissions: $permissions
      allowedAddresses: $allowedAddresses
      rateLimit: $rateLimit
      quota: $quota
    ) {
      id
      name
    }
  }
`);

/** Ends a previous secret of an API key at once. */
export const endApiKeySecretMutation = graphql(`
  mutation EndApiKeySecret($keyId: Int!, $prefix: String!) {
    endApiKeySecret(keyId: $keyId, prefix: $prefix) {
      id
    }
  }
`);

/** Makes an API key the default. */
export const setDefaultApiKeyMutation = graphql(`
  mutation SetDefaultApiKey($keyId: Int!) {
    setDefaultApiKey(keyId: $keyId) {
      id
    }
  }
`);

/** Pauses an API key. */
export const pauseApiKeyMutation = graphql(`
  mutation PauseApiKey($keyId: Int!, $reason: String) {
    pauseApiKey(keyId: $keyId, reason: $reason) {
      id
    }
  }
`);

/** Resumes an API key. */
export const resumeApiKeyMutation = graphql(`
  mutation ResumeApiKey($keyId: Int!) {
    resumeApiKey(keyId: $keyId) {
      id
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
