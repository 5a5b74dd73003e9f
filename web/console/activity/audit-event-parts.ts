import { graphql } from '../api/graphql.ts';

/** The fields of an audit event that the console shows. */
export const auditEventParts = graphql(`
  fragment AuditEventParts on AuditEvent {
    id
    action
    actor
    actorId
    server
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
