import { operator } from '../auth/scopes.ts';
import { AuditEvent } from '../database/tables.ts';
import { builder } from '../graphql/builder.ts';
import { AccountAuditEventsInput, accountAuditEvents } from './account-audit-events.ts';

builder.queryField('accountAuditEvents', (t) =>
  t.connection(
    {
      type: AuditEvent,
      description:
        "Lists the audit events of an account, newest first. Reading another person's events is recorded for both accounts. For operators.",
      summary: "List an account's audit events",
      requiredScopes: operator,
      input: () => AccountAuditEventsInput,
      args: { id: t.arg.int({ required: true, description: 'Id of the account.', example: 1 }) },
      resolve: (_root, input, context) => accountAuditEvents(context, input),
    },
    { name: 'AccountAuditEventConnection' },
    { name: 'AccountAuditEventEdge' },
  ),
);
