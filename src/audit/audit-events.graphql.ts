import { signedIn } from '../auth/scopes.ts';
import { AuditEvent } from '../database/tables.ts';
import { builder } from '../graphql/builder.ts';
import { AuditEventsInput, auditEvents } from './audit-events.ts';

builder.objectType(AuditEvent, {
  name: 'AuditEvent',
  description: 'That you changed something.',
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
      description: 'The account that did it, and that it was done to.',
      extensions: { example: 1 },
    }),
    requestId: t.exposeString('request', {
      description: 'The request, as its answer named it in `X-Request-Id`.',
      extensions: { example: '1b4e28ba-2fa1-41d2-883f-0016d3cca427' },
    }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'The IP address that the request came from; null where it is not known.',
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
      description: 'What you have changed, newest first.',
      requiredScopes: signedIn,
      extensions: { input: () => AuditEventsInput },
      resolve: (_root, input, context) => auditEvents(context, input),
    },
    { name: 'AuditEventConnection' },
    { name: 'AuditEventEdge' },
  ),
);
