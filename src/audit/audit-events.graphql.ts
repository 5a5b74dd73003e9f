import { signedIn } from '../auth/scopes.ts';
import { AuditEvent } from '../database/tables.ts';
import { builder } from '../graphql/builder.ts';
import { AuditEventsInput, auditEvents, type Change, changesIn } from './audit-events.ts';

const AuditChange = builder.objectRef<Change>('AuditChange').implement({
  description: 'What was changed of something.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description:
        'What was changed, as REST names it: `name`, `expires_at`, `session_duration` and the like; `default_key_id` is the key that was the default; `deactivated_by` is `key` where a key ended itself.',
      extensions: { example: 'name' },
    }),
    from: t.expose('from', {
      type: 'JSON',
      nullable: true,
      description:
        'What it was; null where it was not set. Of `metadata` neither value is kept, only that it was changed.',
      extensions: { example: 'Laptop' },
    }),
    to: t.expose('to', {
      type: 'JSON',
      nullable: true,
      description: 'What it is since then; null where it is not set.',
      extensions: { example: 'Build server' },
    }),
  }),
});

builder.objectType(AuditEvent, {
  name: 'AuditEvent',
  description: 'That you changed something.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Identifier of the event.', extensions: { example: 1 } }),
    action: t.exposeString('action', {
      description: 'What was done: `api-key-created`, `private-key-removed` and the like.',
      extensions: { example: 'api-key-renamed' },
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
    changes: t.field({
      type: [AuditChange],
      description:
        'What was changed, from what to what. Empty where the action says all, and for events from before this was kept.',
      extensions: { atMost: 10 },
      resolve: changesIn,
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
