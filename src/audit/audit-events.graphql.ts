import { signedIn } from '../auth/scopes.ts';
import { AuditEvent } from '../database/tables.ts';
import { builder, type FieldBuilder } from '../graphql/builder.ts';
import {
  AuditEventsInput,
  auditEvents,
  type Change,
  changesIn,
  longestKept,
  mostDetails,
  mostReasonBytes,
} from './audit-events.ts';

const AuditChange = builder.objectRef<Change>('AuditChange').implement({
  description: 'What was changed of something.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description:
        'What was changed, as REST names it: `name`, `expires_at`, `session_duration` and the like; `default_key_id` is the key that was the default, `leaked_url` is where a key was found in public.',
      example: 'name',
    }),
    from: t.expose('from', {
      type: 'JSON',
      nullable: true,
      description: `What it was; null where it was not set. Of a list, the items that were taken out. Of \`metadata\` neither value is kept, only that it was changed. A long value is shortened, so that all changes of an event have at most ${mostDetails} bytes: \`starts\` is how its JSON begins, and \`bytes\` the length of that.`,
      example: 'Laptop',
      mostBytes: longestKept,
    }),
    to: t.expose('to', {
      type: 'JSON',
      nullable: true,
      description:
        'What it is since then; null where it is not set. Of a list, the items that were put in. A long value is shortened as in `from`.',
      example: 'Build server',
      mostBytes: longestKept,
    }),
  }),
});

/** The fields that say who did it, and why. */
const actorFields = (t: FieldBuilder<AuditEvent>) => ({
  actor: t.string({
    description:
      'Who did it: `self` (you), `operator` (whoever runs this service), `provider` (a server of whoever runs it), `key` (the API key itself), or `scanner` (who has found the key in public). There may be others.',
    example: 'self',
    resolve: ({ actor }) => actor ?? 'self',
  }),
  reason: t.exposeString('reason', {
    nullable: true,
    description: 'Why, in the words of an operator; null where nobody said.',
    example: null,
    mostBytes: mostReasonBytes,
  }),
  onUserId: t.int({
    nullable: true,
    description: 'The account that you did it to as an operator; null where it was done to your own.',
    example: null,
    // The person concerned does not learn which operator did it.
    resolve: ({ actor, other }) => (actor === null ? other : null),
  }),
});

builder.objectType(AuditEvent, {
  name: 'AuditEvent',
  description: 'That something of yours was changed, or that you changed something as an operator.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Identifier of the event.', example: 1 }),
    action: t.exposeString('action', {
      description: 'What was done: `api-key-created`, `private-key-removed` and the like.',
      example: 'api-key-renamed',
    }),
    targetId: t.exposeInt('target', {
      nullable: true,
      description:
        'Identifier of what it was done to: the webhook endpoint where `action` begins with `webhook-`, else the API key; null where it was neither.',
      example: 1,
    }),
    userId: t.exposeInt('account', {
      description: 'Your account.',
      example: 1,
    }),
    ...actorFields(t),
    requestId: t.exposeString('request', {
      description: 'The request, as its answer named it in `X-Request-Id`.',
      example: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
      // 64 characters, and quotes.
      mostBytes: 66,
    }),
    address: t.exposeString('address', {
      nullable: true,
      description:
        'The IP address that the request came from; null where it is not known, or where an operator or a scanner made it.',
      example: '192.0.2.1',
      // Eight groups of four digits or six and an IPv4 address, and quotes.
      mostBytes: 50,
    }),
    changes: t.field({
      type: [AuditChange],
      description:
        'What was changed, from what to what. Empty where the action says all, and for events from before this was kept.',
      atMost: 10,
      resolve: changesIn,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was done.',
      example: '2026-01-31T12:00:00.000Z',
    }),
  }),
});

builder.queryField('auditEvents', (t) =>
  t.connection(
    {
      type: AuditEvent,
      description: 'What was changed of yours, and what you have changed as an operator, newest first.',
      requiredScopes: signedIn,
      orOperator: true,
      input: () => AuditEventsInput,
      resolve: (_root, input, context) => auditEvents(context, input),
    },
    { name: 'AuditEventConnection' },
    { name: 'AuditEventEdge' },
  ),
);
