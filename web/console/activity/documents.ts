import { graphql } from '../api/graphql.ts';

/** A page of what was changed of the caller's, or by them as an operator. */
export const auditEventsQuery = graphql(`
  query AuditEvents($first: Int!, $after: String) {
    auditEvents(first: $first, after: $after) {
      edges {
        node {
          id
          action
          actor
          reason
          onUserId
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
