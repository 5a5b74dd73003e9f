import { operator } from '../auth/scopes.ts';
import { longestWebhookUrl } from '../config/values/webhook-events.ts';
import {
  longestHeaderName,
  longestHeaderValue,
  mostWebhookHeaders,
} from '../config/values/webhook-headers.ts';
import { type ArgumentBuilder, builder, type FieldBuilder } from '../graphql/builder.ts';
import { createWebhookEndpoint, createWebhookEndpointInput } from './create-webhook-endpoint.ts';
import { RemoveWebhookEndpointInput, removeWebhookEndpoint } from './remove-webhook-endpoint.ts';
import { RotateWebhookSecretInput, rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { UpdateWebhookEndpointInput, updateWebhookEndpoint } from './update-webhook-endpoint.ts';
import { WebhookEndpointInput, webhookEndpoint } from './webhook-endpoint.ts';
import {
  mostBytesOf,
  mostCounted,
  type NewWebhookEndpoint,
  type WebhookEndpointRecord,
} from './webhook-endpoint-record.ts';
import { WebhookEndpointsInput, webhookEndpoints } from './webhook-endpoints.ts';

const stateFields = (t: FieldBuilder<WebhookEndpointRecord>) => ({
  createdAt: t.expose('createdAt', {
    type: 'DateTime',
    description: 'When it was added, or first configured.',
    example: '2026-01-31T12:00:00.000Z',
  }),
  pausedAt: t.expose('pausedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'Since when nothing is sent to it, and what happens waits; null where it is not paused.',
    example: null,
  }),
  goneAt: t.expose('goneAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the receiver answered 410 (Gone), which paused the endpoint. Null if it did not.',
    example: null,
  }),
  removedAt: t.expose('removedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'Since when it is told of nothing; null where it was not removed.',
    example: null,
  }),
  secretCreatedAt: t.expose('secretCreatedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When its newest secret was made; null of one of the configuration.',
    example: '2026-01-31T12:00:00.000Z',
  }),
  previousSignUntil: t.expose('previousSignUntil', {
    type: 'DateTime',
    nullable: true,
    description: 'Until when the secrets before it sign as well; null where there are none.',
    example: null,
  }),
});

const deliveryFields = (t: FieldBuilder<WebhookEndpointRecord>) => ({
  waitingCount: t.exposeInt('waitingCount', {
    description: `How many deliveries to it wait; ${mostCounted} stands for that and more.`,
    example: 3,
  }),
  parkedCount: t.exposeInt('parkedCount', {
    description: `How many were given up lately; ${mostCounted} stands for that and more.`,
    example: 0,
  }),
  lastAttemptAt: t.expose('lastAttemptAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When something was sent to it last; null where nothing was lately.',
    example: '2026-02-28T12:00:00.000Z',
  }),
  lastOutcome: t.exposeString('lastOutcome', {
    nullable: true,
    description: 'What that came to: `status 204`, `timeout`, `ECONNREFUSED` and the like.',
    example: 'status 204',
    mostBytes: mostBytesOf.lastOutcome,
  }),
});

const endpointFields = (t: FieldBuilder<WebhookEndpointRecord>) => ({
  id: t.exposeInt('id', { description: 'Identifier of the endpoint.', example: 1 }),
  url: t.exposeString('url', {
    description: 'Where events are sent.',
    example: 'https://hooks.example.com/keyward',
    mostBytes: mostBytesOf.url,
  }),
  events: t.stringList({
    description: 'Which events it is told of: types, and patterns such as `api_key.*`.',
    example: ['api_key.*'],
    mostBytes: mostBytesOf.events,
    resolve: ({ events }) => [...events],
  }),
  headerNames: t.stringList({
    description:
      'Names of the headers that each message has beside those of Standard Webhooks. Their values are not shown.',
    example: ['Authorization'],
    mostBytes: mostBytesOf.headerNames,
    resolve: ({ headerNames }) => [...headerNames],
  }),
  isConfigured: t.exposeBoolean('isConfigured', {
    description: 'Whether it stands in the configuration (`WEBHOOKS`), and was not added by an operator.',
    example: false,
  }),
  ...stateFields(t),
  ...deliveryFields(t),
});

const WebhookEndpointType = builder.objectRef<WebhookEndpointRecord>('WebhookEndpoint').implement({
  description: 'Where events are sent. Its secrets are not part of it.',
  fields: (t) => endpointFields(t),
});

const NewWebhookEndpointType = builder.objectRef<NewWebhookEndpoint>('NewWebhookEndpoint').implement({
  description: 'Where events are sent, with the secret that signs them, which is shown this once.',
  fields: (t) => ({
    ...endpointFields(t),
    secret: t.exposeString('secret', {
      description:
        'The secret, by Standard Webhooks: `whsec_` and 32 bytes in base64. It cannot be shown again.',
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
    description: `${description} Up to ${mostWebhookHeaders} names and values, which nobody is shown again. Names have up to ${longestHeaderName} letters, digits, hyphens and underscores; values have 1 to ${longestHeaderValue} visible ASCII characters. Headers that Keyward sets itself, such as \`Host\` or \`webhook-id\`, are refused.`,
    example: { Authorization: 'Bearer 5f0c2b7e9d4a' },
  });

const endpointId = {
  required: true,
  description: 'Identifier of the endpoint.',
  example: 1,
} as const;

builder.queryField('webhookEndpoints', (t) =>
  t.connection(
    {
      type: WebhookEndpointType,
      description:
        'The webhook endpoints that are there, newest first: those of the configuration, and those that were added. For operators.',
      requiredScopes: operator,
      input: () => WebhookEndpointsInput,
      resolve: (_root, input, context) => webhookEndpoints(context, input),
    },
    { name: 'WebhookEndpointConnection' },
    { name: 'WebhookEndpointEdge' },
  ),
);

builder.queryField('webhookEndpoint', (t) =>
  t.field({
    type: WebhookEndpointType,
    description: 'A webhook endpoint, also one that was removed. For operators.',
    requiredScopes: operator,
    input: () => WebhookEndpointInput,
    args: { endpointId: t.arg.int(endpointId) },
    resolve: (_root, input, context) => webhookEndpoint(context, input),
  }),
);

builder.mutationField('createWebhookEndpoint', (t) =>
  t.field({
    type: NewWebhookEndpointType,
    description:
      'Adds a webhook endpoint, which is told of what happens from then on. Its secret is made here. For operators.',
    requiredScopes: operator,
    input: createWebhookEndpointInput,
    errors: ['CONFLICT'],
    changesSecret: true,
    example: { waitingCount: 0, lastAttemptAt: null, lastOutcome: null },
    args: {
      url: t.arg.string({
        required: true,
        description: `Where events are sent: HTTPS, at most ${longestWebhookUrl} characters, without a user name, a password or a fragment. No two endpoints have the same.`,
        example: 'https://hooks.example.com/keyward',
      }),
      events: t.arg.stringList({
        description:
          'Which events it is told of: 1 to 50 types, or patterns such as `api_key.*`. Left out: of all.',
        example: ['api_key.*'],
      }),
      headers: headersArgument(t, 'Headers that each message has, such as a token for a gateway.'),
    },
    resolve: (_root, input, context) => createWebhookEndpoint(context, input),
  }),
);

builder.mutationField('updateWebhookEndpoint', (t) =>
  t.field({
    type: WebhookEndpointType,
    description:
      'Pauses a webhook endpoint or lets it go on, and changes which events it is told of and its headers. What is left out or null stays as it is. For operators.',
    requiredScopes: operator,
    input: () => UpdateWebhookEndpointInput,
    errors: ['CONFLICT'],
    takesRecord: true,
    example: { pausedAt: '2026-03-31T12:00:00.000Z' },
    args: {
      endpointId: t.arg.int(endpointId),
      isPaused: t.arg.boolean({
        description: 'Whether nothing is sent to it: what happens waits, for three days.',
        example: true,
      }),
      events: t.arg.stringList({
        description:
          'Which events it is told of from now on: 1 to 50 types, or patterns. Those of an endpoint of the configuration are changed there.',
        example: ['api_key.*'],
      }),
      headers: headersArgument(t, 'Headers that each message has from now on; `{}` for none.'),
    },
    resolve: (_root, input, context) => updateWebhookEndpoint(context, input),
  }),
);

builder.mutationField('rotateWebhookSecret', (t) =>
  t.field({
    type: NewWebhookEndpointType,
    description:
      'Gives a webhook endpoint that was added a new secret. Those before it sign as well for the grace. For operators.',
    requiredScopes: operator,
    input: () => RotateWebhookSecretInput,
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
          'How long the secrets so far still sign, in seconds: 0 to 604800, 86400 (a day) where left out. 0 ends them at once.',
        example: 86_400,
      }),
    },
    resolve: (_root, input, context) => rotateWebhookSecret(context, input),
  }),
);

builder.mutationField('removeWebhookEndpoint', (t) =>
  t.field({
    type: WebhookEndpointType,
    description:
      'Removes a webhook endpoint that was added: nothing is sent to it any more. Repeating it changes nothing and answers the same. For operators.',
    requiredScopes: operator,
    input: () => RemoveWebhookEndpointInput,
    errors: ['CONFLICT'],
    example: { removedAt: '2026-03-31T12:00:00.000Z' },
    args: { endpointId: t.arg.int(endpointId) },
    resolve: (_root, input, context) => removeWebhookEndpoint(context, input),
  }),
);
