import { accountIdArgument } from '../accounts/arguments.ts';
import { operator } from '../auth/scopes.ts';
import { AuditEvent } from '../database/tables.ts';
import { builder, runs } from '../graphql/builder.ts';
import { accountAuditEvents } from './account-audit-events.ts';

builder.queryFields((t) => ({
  accountAuditEvents: t.connection(
    {
      type: AuditEvent,
      description:
        "Lists the audit events of an account, newest first. Reading another person's events is recorded for both accounts. For operators.",
      summary: "List an account's audit events",
      requiredScopes: operator,
      args: { id: t.arg.int(accountIdArgument) },
      ...runs(accountAuditEvents),
    },
    { name: 'AccountAuditEventConnection' },
    { name: 'AccountAuditEventEdge' },
  ),
}));
