import { signedIn } from '../auth/scopes.ts';
import { AuditEvent } from '../database/tables.ts';
import { builder } from '../graphql/builder.ts';
import { AuditEventsInput, auditEvents } from './audit-events.ts';

builder.objectType(AuditEvent, {
  name: 'AuditEvent',
  description: 'That something of yours was changed, or that you changed something as an operator.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Identifier of the event.', extensions: { example: 1 } }),
    action: t.exposeString('action', {
      description: 'What was done: `api-key-created`, `private-key-removed` and the like.',
      extensions: { example: 'api-key-deactivated' },
    }),
    targetId: t.exposeInt('target', {
      nullable: true,
      description: 'Identifier of the API key that it was done to; null where it was no API key.',
      extensions: { example: 1 },
    }),
    userId: t.exposeInt('account', {
      description: 'Your account.',
      extensions: { example: 1 },
    }),
    actor: t.string({
      description:
        'Who did it: `self` (you), `operator` (whoever runs this service), or `key` (the API key itself). There may be others.',
      extensions: { example: 'self' },
      resolve: ({ actor }) => actor ?? 'self',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why, in the words of an operator; null where nobody said.',
      extensions: { example: null },
    }),
    onUserId: t.int({
      nullable: true,
      description: 'The account that you did it to as an operator; null where it was done to your own.',
      extensions: { example: null },
      // Which operator it was, whom it was done to is not told.
      resolve: ({ actor, other }) => (actor === null ? other : null),
    }),
    requestId: t.exposeString('request', {
      description: 'The request, as its answer named it in `X-Request-Id`.',
      extensions: { example: '1b4e28ba-2fa1-41d2-883f-0016d3cca427' },
    }),
    address: t.exposeString('address', {
      nullable: true,
      description:
        'The IP address that the request came from; null where it is not known, or where an operator made it.',
      extensions: { example: '192.0.2.1' },
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was done.',
      extensions: { example: '2026-01-31T12:00:00.000Z' },
    }),
  }),
});

builder.queryField('auditEvents', (t) =>
  t.connection(
    {
      type: AuditEvent,
      description: 'What was changed of yours, and what you have changed as an operator, newest first.',
      requiredScopes: signedIn,
      extensions: { input: () => AuditEventsInput },
      resolve: (_root, input, context) => auditEvents(context, input),
    },
    { name: 'AuditEventConnection' },
    { name: 'AuditEventEdge' },
  ),
);
