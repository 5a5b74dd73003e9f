import { graphql } from '../api/graphql.ts';
import { apiKeyParts } from '../keys/api-key-parts.ts';

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
