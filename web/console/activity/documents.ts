import { graphql } from '../api/graphql.ts';

/** A page of what the caller has changed. */
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
          changes {
            field
            from
            to
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
