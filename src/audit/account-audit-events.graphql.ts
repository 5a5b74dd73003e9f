import { operator } from '../auth/scopes.ts';
import { AuditEvent } from '../database/tables.ts';
import { builder } from '../graphql/builder.ts';
import { AccountAuditEventsInput, accountAuditEvents } from './account-audit-events.ts';

builder.queryField('accountAuditEvents', (t) =>
  t.connection(
    {
      type: AuditEvent,
      description:
        "The audit trail of an account, newest first. Reading another person's trail is recorded in both trails. For operators.",
      requiredScopes: operator,
      input: () => AccountAuditEventsInput,
      args: { id: t.arg.int({ required: true, description: 'Identifier of the account.', example: 1 }) },
      resolve: (_root, input, context) => accountAuditEvents(context, input),
    },
    { name: 'AccountAuditEventConnection' },
    { name: 'AccountAuditEventEdge' },
  ),
);
