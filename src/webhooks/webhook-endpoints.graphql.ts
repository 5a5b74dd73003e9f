import { operator } from '../auth/scopes.ts';
import { longestWebhookUrl } from '../config/values/webhook-events.ts';
import {
  longestHeaderName,
  longestHeaderValue,
  mostWebhookHeaders,
} from '../config/values/webhook-headers.ts';
import { type ArgumentBuilder, builder, type FieldBuilder, runs, timeOrNull } from '../graphql/builder.ts';
import { createWebhookEndpoint } from './create-webhook-endpoint.ts';
import { removeWebhookEndpoint } from './remove-webhook-endpoint.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { mostCounted } from './sending/stored-deliveries.ts';
import { updateWebhookEndpoint } from './update-webhook-endpoint.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';
import {
  mostBytesOf,
  type NewWebhookEndpoint,
  type WebhookEndpointRecord,
} from './webhook-endpoint-record.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';

/** A time that is often null. */
const noTime = { ...timeOrNull, example: null } as const;

const endpointFields = (t: FieldBuilder<WebhookEndpointRecord>) => ({
  id: t.exposeInt('id', { description: 'Id of the endpoint.', example: 1 }),
  url: t.exposeString('url', {
    description: 'The URL that events are sent to.',
    example: 'https://hooks.example.com/keyward',
    mostBytes: mostBytesOf.url,
  }),
  events: t.stringList({
    description: 'The events sent: types, and patterns such as `api_key.*`.',
    example: ['api_key.*'],
    mostBytes: mostBytesOf.events,
    resolve: ({ events }) => [...events],
  }),
  headerNames: t.stringList({
    description: 'Names of the extra headers of each message. Their values are never shown.',
    example: ['Authorization'],
    mostBytes: mostBytesOf.headerNames,
    resolve: ({ headerNames }) => [...headerNames],
  }),
  isConfigured: t.exposeBoolean('isConfigured', {
    description: 'True if the endpoint comes from `WEBHOOKS`, false if an operator added it.',
    example: false,
  }),
  createdAt: t.expose('createdAt', {
    type: 'DateTime',
    description: 'When the endpoint was added or first configured.',
    example: '2026-01-31T12:00:00.000Z',
  }),
  pausedAt: t.expose('pausedAt', {
    ...noTime,
    description:
      'When the endpoint was paused. While it is paused, deliveries wait. Null if it is not paused.',
  }),
  goneAt: t.expose('goneAt', {
    ...noTime,
    description: 'When the receiver answered 410 (Gone), which paused the endpoint. Null if it did not.',
  }),
  failingSince: t.expose('failingSince', {
    ...noTime,
    description:
      'When the first of the attempts failed that have failed since the last successful one. Null if the last attempt succeeded.',
  }),
  removedAt: t.expose('removedAt', {
    ...noTime,
    description: 'When the endpoint was removed. Null if it was not.',
  }),
  secretCreatedAt: t.expose('secretCreatedAt', {
    ...timeOrNull,
    description: 'When the newest secret was created. Null if the endpoint comes from the configuration.',
    example: '2026-01-31T12:00:00.000Z',
  }),
  previousSignUntil: t.expose('previousSignUntil', {
    ...noTime,
    description:
      'Until when deliveries are also signed with the previous secrets. Null if no previous secret signs.',
  }),
  waitingCount: t.exposeInt('waitingCount', {
    description: `Number of waiting deliveries. ${mostCounted} means that many or more.`,
    example: 3,
  }),
  parkedCount: t.exposeInt('parkedCount', {
    description: `Number of deliveries recently given up. ${mostCounted} means that many or more.`,
    example: 0,
  }),
  lastAttemptAt: t.expose('lastAttemptAt', {
    ...timeOrNull,
    description: 'When a delivery was last sent. Null if none was sent recently.',
    example: '2026-02-28T12:00:00.000Z',
  }),
  lastOutcome: t.exposeString('lastOutcome', {
    nullable: true,
    description:
      'The result of the last attempt, such as `status 204`, `timeout` or `ECONNREFUSED`. Null if there was none recently.',
    example: 'status 204',
    mostBytes: mostBytesOf.lastOutcome,
  }),
});

const WebhookEndpointType = builder.objectRef<WebhookEndpointRecord>('WebhookEndpoint').implement({
  description: 'A webhook endpoint, without its secrets.',
  fields: (t) => endpointFields(t),
});

const NewWebhookEndpointType = builder.objectRef<NewWebhookEndpoint>('NewWebhookEndpoint').implement({
  description: 'A webhook endpoint with its signing secret, which is shown only once.',
  fields: (t) => ({
    ...endpointFields(t),
    secret: t.exposeString('secret', {
      description:
        'The signing secret in the form of Standard Webhooks: `whsec_` and 32 bytes in base64. It cannot be shown again.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0123456789A=',
      // 50 characters, and quotes.
      mostBytes: 52,
    }),
  }),
});

/** The argument of the fields that set headers. */
const headersArgument = ({ arg }: ArgumentBuilder, description: string) =>
  arg({
    type: 'JSONObject',
    description: `${description} At most ${mostWebhookHeaders}. Names have at most ${longestHeaderName} letters, digits, hyphens and underscores; values have 1–${longestHeaderValue} visible ASCII characters and are never shown again. Headers that Keyward sets itself, such as \`Host\` or \`webhook-id\`, are refused.`,
    example: { Authorization: 'Bearer 5f0c2b7e9d4a' },
  });

const endpointId = { required: true, description: 'Id of the endpoint.', example: 1 } as const;

builder.queryFields((t) => ({
  webhookEndpoints: t.connection(
    {
      type: WebhookEndpointType,
      description:
        'Lists the current webhook endpoints, newest first: configured ones and those that operators added. For operators.',
      summary: 'List webhook endpoints',
      requiredScopes: operator,
      ...runs(webhookEndpoints),
    },
    { name: 'WebhookEndpointConnection' },
    { name: 'WebhookEndpointEdge' },
  ),
  webhookEndpoint: t.field({
    type: WebhookEndpointType,
    description: 'Returns a webhook endpoint, even a removed one. For operators.',
    summary: 'Get a webhook endpoint',
    requiredScopes: operator,
    args: { endpointId: t.arg.int(endpointId) },
    ...runs(webhookEndpoint),
  }),
}));

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.field({
    type: NewWebhookEndpointType,
    description:
      'Adds a webhook endpoint and creates its signing secret. The endpoint gets all later events. For operators.',
    summary: 'Add a webhook endpoint',
    requiredScopes: operator,
    errors: ['CONFLICT'],
    changesSecret: true,
    example: { waitingCount: 0, lastAttemptAt: null, lastOutcome: null },
    args: {
      url: t.arg.string({
        required: true,
        description: `The HTTPS URL that events are sent to: at most ${longestWebhookUrl} characters, without user name, password or fragment. Each endpoint needs its own URL.`,
        example: 'https://hooks.example.com/keyward',
      }),
      events: t.arg.stringList({
        description: 'The events to send: 1–50 types or patterns such as `api_key.*`. Default: all.',
        example: ['api_key.*'],
      }),
      headers: headersArgument(t, 'Extra headers of each message, such as a token for a gateway.'),
    },
    ...runs(createWebhookEndpoint),
  }),
  updateWebhookEndpoint: t.field({
    type: WebhookEndpointType,
    description:
      'Updates a webhook endpoint: pauses or resumes it, changes its events or headers. Members that are omitted or null stay as they are. For operators.',
    summary: 'Update a webhook endpoint',
    requiredScopes: operator,
    errors: ['CONFLICT'],
    takesRecord: true,
    example: { pausedAt: '2026-03-31T12:00:00.000Z' },
    args: {
      endpointId: t.arg.int(endpointId),
      isPaused: t.arg.boolean({
        description:
          'Whether the endpoint is paused. While it is paused, deliveries wait for up to three days.',
        example: true,
      }),
      events: t.arg.stringList({
        description:
          'The events to send: 1–50 types or patterns. For a configured endpoint, change them in the configuration.',
        example: ['api_key.*'],
      }),
      headers: headersArgument(t, 'Extra headers of each message; `{}` for none.'),
    },
    ...runs(updateWebhookEndpoint),
  }),
  rotateWebhookSecret: t.field({
    type: NewWebhookEndpointType,
    description:
      'Gives a webhook endpoint that an operator added a new signing secret. Deliveries are also signed with the previous secrets for `graceSeconds`. For operators.',
    summary: 'Rotate a signing secret',
    requiredScopes: operator,
    errors: ['CONFLICT'],
    changesSecret: true,
    example: {
      secretCreatedAt: '2026-03-31T12:00:00.000Z',
      previousSignUntil: '2026-04-01T12:00:00.000Z',
    },
    args: {
      endpointId: t.arg.int(endpointId),
      graceSeconds: t.arg.int({
        description:
          'How long deliveries are also signed with the previous secrets, in seconds (0–604800, 7 days). Default: 86400 (a day). With 0, they stop at once.',
        example: 86_400,
      }),
    },
    ...runs(rotateWebhookSecret),
  }),
  removeWebhookEndpoint: t.field({
    type: WebhookEndpointType,
    description:
      'Removes a webhook endpoint that an operator added. Nothing more is sent to it. Safe to repeat. For operators.',
    summary: 'Remove a webhook endpoint',
    requiredScopes: operator,
    errors: ['CONFLICT'],
    example: { removedAt: '2026-03-31T12:00:00.000Z' },
    args: { endpointId: t.arg.int(endpointId) },
    ...runs(removeWebhookEndpoint),
  }),
}));
