import { graphql } from '../api/graphql.ts';
import { auditEventParts } from './audit-event-parts.ts';

/** A page of what was changed of the caller's, or by them as an operator. */
export const auditEventsQuery = graphql(
  `
    query AuditEvents($first: Int!, $after: String) {
      auditEvents(first: $first, after: $after) {
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
