import { graphql } from '../api/graphql.ts';

/** What is shown of an audit event. */
export const auditEventParts = graphql(`
  fragment AuditEventParts on AuditEvent {
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
`);
