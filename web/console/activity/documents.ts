import { graphql } from '../api/graphql.ts';
import { auditEventParts } from './audit-event-parts.ts';

/** A page of the caller's audit trail: changes to their account, and changes they made as an operator. */
export const auditEventsQuery = graphql(
  `
    query AuditEvents($first: Int!, $after: String, $keyId: Int, $action: String) {
      auditEvents(first: $first, after: $after, keyId: $keyId, action: $action) {
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
