import { auditEventParts } from '../activity/audit-event-parts.ts';
import { graphql } from '../api/graphql.ts';
import { apiKeyParts } from '../keys/api-key-parts.ts';
import { grantParts } from '../plan/grant-parts.ts';

/** The fields of an account that an operator sees. */
const accountParts = graphql(`
  fragment AccountParts on Account {
    id
    issuer
    subject
    kind
    createdAt
    blockedAt
    blockReason
    erasedAt
    apiKeyCount
    activeApiKeyCount
  }
`);

/** A page of all accounts. */
export const accountsQuery = graphql(
  `
    query Accounts($filter: String, $isBlocked: Boolean, $first: Int!, $after: String) {
      accounts(filter: $filter, isBlocked: $isBlocked, first: $first, after: $after) {
        edges {
          node {
            ...AccountParts
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  `,
  [accountParts],
);

/** One account. */
export const accountQuery = graphql(
  `
    query Account($id: Int!) {
      account(id: $id) {
        ...AccountParts
      }
    }
  `,
  [accountParts],
);

/** A page of an account's API keys. */
export const accountApiKeysQuery = graphql(
  `
    query AccountApiKeys($id: Int!, $first: Int!, $after: String) {
      accountApiKeys(id: $id, first: $first, after: $after) {
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

/** One of an account's API keys. */
export const accountApiKeyQuery = graphql(
  `
    query AccountApiKey($id: Int!, $keyId: Int!) {
      accountApiKey(id: $id, keyId: $keyId) {
        ...ApiKeyParts
      }
    }
  `,
  [apiKeyParts],
);

/** The entitlement of an account. */
export const entitlementQuery = graphql(
  `
    query Entitlement($userId: Int!) {
      entitlement(userId: $userId) {
        plan
        overrides
        updatedAt
        effective {
          ...GrantParts
        }
      }
    }
  `,
  [grantParts],
);

/** Sets the plan and the overrides of an account; null clears one. */
export const setEntitlementMutation = graphql(`
  mutation SetEntitlement($userId: Int!, $plan: String, $overrides: JSONObject, $reason: String!) {
    setEntitlement(userId: $userId, plan: $plan, overrides: $overrides, reason: $reason) {
      userId
    }
  }
`);

/** Finds the owner of an API key. */
export const findApiKeyMutation = graphql(`
  mutation FindApiKey($key: String, $keyPrefix: String) {
    findApiKey(key: $key, keyPrefix: $keyPrefix) {
      keyId
      keyPrefix
      name
      isActive
      pausedAt
      expiresAt
      userId
      subject
      isBlocked
    }
  }
`);

/** Blocks an account. */
export const blockAccountMutation = graphql(`
  mutation BlockAccount($id: Int!, $reason: String!) {
    account: blockAccount(id: $id, reason: $reason) {
      id
    }
  }
`);

/** Unblocks an account. */
export const unblockAccountMutation = graphql(`
  mutation UnblockAccount($id: Int!, $reason: String!) {
    account: unblockAccount(id: $id, reason: $reason) {
      id
    }
  }
`);

/** Erases an account, for good. */
export const eraseAccountMutation = graphql(`
  mutation EraseAccount($id: Int!) {
    eraseAccount(id: $id) {
      id
    }
  }
`);

/** Pauses anyone's API key. */
export const pauseAccountApiKeyMutation = graphql(`
  mutation PauseAccountApiKey($keyId: Int!, $reason: String!) {
    apiKey: pauseAccountApiKey(keyId: $keyId, reason: $reason) {
      id
    }
  }
`);

/** Resumes anyone's API key. */
export const resumeAccountApiKeyMutation = graphql(`
  mutation ResumeAccountApiKey($keyId: Int!, $reason: String!) {
    apiKey: resumeAccountApiKey(keyId: $keyId, reason: $reason) {
      id
    }
  }
`);

/** Deactivates anyone's API key, for good. */
export const deactivateAccountApiKeyMutation = graphql(`
  mutation DeactivateAccountApiKey($keyId: Int!, $reason: String!) {
    apiKey: deactivateAccountApiKey(keyId: $keyId, reason: $reason) {
      id
    }
  }
`);

/** A page of an account's audit trail. */
export const accountAuditEventsQuery = graphql(
  `
    query AccountAuditEvents($id: Int!, $first: Int!, $after: String) {
      accountAuditEvents(id: $id, first: $first, after: $after) {
        edges {
          node {
            ...AuditEventParts
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  `,
  [auditEventParts],
);

/** A page of the audit events of all accounts. */
export const auditTrailQuery = graphql(
  `
    query AuditTrail(
      $action: String
      $userId: Int
      $actor: String
      $keyId: Int
      $from: DateTime
      $to: DateTime
      $first: Int!
      $after: String
    ) {
      auditTrail(
        action: $action
        userId: $userId
        actor: $actor
        keyId: $keyId
        from: $from
        to: $to
        first: $first
        after: $after
      ) {
        edges {
          node {
            ...AuditEventParts
            userId
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  `,
  [auditEventParts],
);

/** How often all API keys of an account were verified. */
export const accountUsageQuery = graphql(`
  query AccountUsage($id: Int!, $from: DateTime!, $to: DateTime!, $by: UsagePeriod!) {
    usage: accountUsage(id: $id, from: $from, to: $to, by: $by) {
      counts {
        at
        outcome
        count
      }
    }
  }
`);

/** How often anyone's API key was verified. */
export const accountApiKeyUsageQuery = graphql(`
  query AccountApiKeyUsage($keyId: Int!, $from: DateTime!, $to: DateTime!, $by: UsagePeriod!) {
    usage: accountApiKeyUsage(keyId: $keyId, from: $from, to: $to, by: $by) {
      counts {
        at
        outcome
        count
      }
    }
  }
`);
