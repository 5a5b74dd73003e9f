import { signedIn } from '../auth/scopes.ts';
import { AuditEvent } from '../database/tables.ts';
import { builder, runs } from '../graphql/builder.ts';
import {
  auditEvents,
  type Change,
  changesIn,
  longestKept,
  mostDetails,
  mostReasonBytes,
  mostServerBytes,
} from './audit-events.ts';

const AuditChange = builder.objectRef<Change>('AuditChange').implement({
  description: 'One changed member.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description:
        'The changed member by its REST name, such as `name` or `expires_at`. `default_key_id` is the previous default key; `leaked_url` is where a key was found in public.',
      example: 'name',
    }),
    from: t.expose('from', {
      type: 'JSON',
      nullable: true,
      description: `The previous value. Null if it was not set. For a list, only the removed items. For \`metadata\`, always null. A long value is shortened to an object with \`starts\` (the beginning of its JSON) and \`bytes\` (its length), so that all changes of an event have at most ${mostDetails} bytes.`,
      example: 'Laptop',
      mostBytes: longestKept,
    }),
    to: t.expose('to', {
      type: 'JSON',
      nullable: true,
      description:
        'The new value. Null if it is not set. For a list, only the added items. A long value is shortened as in `from`.',
      example: 'Build server',
      mostBytes: longestKept,
    }),
  }),
});

builder.objectType(AuditEvent, {
  name: 'AuditEvent',
  description:
    'A change to your account, or one that you made as an operator or as a member of an organization.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Id of the event.', example: 1 }),
    action: t.exposeString('action', {
      description: 'What was done, such as `api-key-created` or `private-key-removed`.',
      example: 'api-key-renamed',
    }),
    targetId: t.exposeInt('target', {
      nullable: true,
      description:
        'Id of what changed: a webhook endpoint if `action` begins with `webhook-`, otherwise an API key. Null if neither.',
      example: 1,
    }),
    userId: t.exposeInt('account', {
      description: 'Id of your account.',
      example: 1,
    }),
    actor: t.string({
      description:
        'Who did it: `self` (you), `member` (of your organization), `operator`, `provider` (a server of the API provider), `key` (the API key itself) or `scanner` (a scanner that found the key in public). More may be added.',
      example: 'self',
      resolve: ({ actor }) => actor ?? 'self',
    }),
    actorId: t.int({
      nullable: true,
      description:
        'Id of the account of the member or the operator who did it. Only operators and auditors see that of an operator. Null for all others.',
      example: null,
      // The person concerned does not learn which operator did it.
      resolve: ({ actor, other }, _, { isAuditor }) =>
        actor === 'member' || (isAuditor && actor === 'operator') ? other : null,
    }),
    server: t.string({
      nullable: true,
      description:
        "The provider's server that did it: its name, if it signed in with a secret. If it acted for the account with an access token: the token's `sub`, and `iss` in brackets. Only operators and auditors see it. Null for all others.",
      example: null,
      mostBytes: mostServerBytes,
      resolve: ({ server }, _, { isAuditor }) => (isAuditor ? server : null),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: "The operator's reason. Null if none was given.",
      example: null,
      mostBytes: mostReasonBytes,
    }),
    onUserId: t.int({
      nullable: true,
      description:
        'The account that you acted on, as an operator or as a member of an organization. Null if it was your own.',
      example: null,
      resolve: ({ actor, other }) => (actor === null ? other : null),
    }),
    requestId: t.exposeString('request', {
      description: 'Id of the request, as in the `X-Request-Id` of its response.',
      example: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
      // 64 characters, and quotes.
      mostBytes: 66,
    }),
    address: t.exposeString('address', {
      nullable: true,
      description:
        'The IP address of the client. Null if unknown, or if `actor` is `member`, `operator`, `provider` or `scanner`.',
      example: '192.0.2.1',
      // Eight groups of four digits or six and an IPv4 address, and quotes.
      mostBytes: 50,
    }),
    changes: t.field({
      type: [AuditChange],
      description: 'The changed members, with their values. Empty if `action` says everything.',
      atMost: 10,
      resolve: changesIn,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it happened.',
      example: '2026-01-31T12:00:00.000Z',
    }),
  }),
});

builder.queryFields((t) => ({
  auditEvents: t.connection(
    {
      type: AuditEvent,
      description:
        'Lists the changes to your account, and those that you made as an operator or as a member of an organization, newest first.',
      summary: 'List audit events',
      requiredScopes: signedIn,
      orOperator: true,
      args: {
        keyId: t.arg.int({ description: 'Return only the events of one API key.', example: 1 }),
        action: t.arg.string({
          description: 'Return only the events with one `action`.',
          example: 'api-key-rotated',
        }),
      },
      ...runs(auditEvents),
    },
    { name: 'AuditEventConnection' },
    { name: 'AuditEventEdge' },
  ),
}));
