import { auditor } from '../auth/scopes.ts';
import { AuditEvent } from '../database/tables.ts';
import { builder, runs } from '../graphql/builder.ts';
import { auditTrail } from './audit-trail.ts';

const AuditTrailOrder = builder.enumType('AuditTrailOrder', {
  description: 'Which audit events come first.',
  values: {
    NEWEST: { value: 'newest', description: 'The newest, for people.' },
    OLDEST: { value: 'oldest', description: 'The oldest, for a reader that goes on from a cursor.' },
  } as const,
});

builder.queryFields((t) => ({
  auditTrail: t.connection(
    {
      type: AuditEvent,
      description:
        'Lists the audit events of all accounts, newest first. Oldest first, `endCursor` is where to go on later, also if the page is empty: no event is missed or repeated. In REST, `Accept: application/x-ndjson` gets all of them, oldest first, one on a line; the last line has the cursor to go on from. Who reads is recorded. For operators and auditors.',
      summary: 'List all audit events',
      requiredScopes: auditor,
      args: {
        action: t.arg.string({
          description: 'Return only the events with these actions, separated by commas (at most 10).',
          example: 'api-key-deactivated,api-key-leaked',
        }),
        userId: t.arg.int({ description: 'Return only the events of one account.', example: 1 }),
        actor: t.arg.string({
          description:
            'Return only what one kind of actor did: `self`, `member`, `operator`, `provider`, `key` or `scanner`.',
          example: 'operator',
        }),
        keyId: t.arg.int({ description: 'Return only the events of one API key.', example: 1 }),
        from: t.arg({
          type: 'DateTime',
          description: 'Return only events at this time or later.',
          example: '2026-01-31T22:00:00.000Z',
        }),
        to: t.arg({
          type: 'DateTime',
          description: 'Return only events at this time or earlier.',
          example: '2026-02-01T06:00:00.000Z',
        }),
        order: t.arg({
          type: AuditTrailOrder,
          description: 'Which events come first. Default: the newest.',
          example: 'NEWEST',
        }),
      },
      ...runs(auditTrail),
    },
    { name: 'AuditTrailConnection' },
    { name: 'AuditTrailEdge' },
  ),
}));
