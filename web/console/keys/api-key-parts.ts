import { graphql } from '../api/graphql.ts';

/** What the console shows of an API key. */
export const apiKeyParts = graphql(`
  fragment ApiKeyParts on ApiKey {
    id
    name
    description
    keyPrefix
    isActive
    isDefault
    createdAt
    createdBy
    deactivatedAt
    pausedAt
    pausedBy
    pauseReason
    expiresAt
    lastUsedAt
    secrets {
      prefix
      createdAt
      lastUsedAt
      endsAt
    }
    permissions
    metadata
    allowedAddresses
    rateLimit {
      limit
      windowSeconds
    }
    quota {
      limit
      refill
      remaining
      refillsAt
    }
  }
`);
