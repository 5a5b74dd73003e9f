import { graphql } from '../api/graphql.ts';

/** A page of what the caller has changed; names for the keys that it is about are in the newest hundred. */
export const auditEventsQuery = graphql(`
  query AuditEvents($first: Int!, $after: String) {
    auditEvents(first: $first, after: $after) {
      edges {
        node {
          id
          action
          targetId
          requestId
          address
          createdAt
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
    apiKeys(first: 100) {
      edges {
        node {
          id
          name
        }
      }
    }
  }
`);
