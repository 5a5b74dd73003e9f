import { operator } from '../auth/scopes.ts';
import { builder, type FieldBuilder, runs, timeOrNull } from '../graphql/builder.ts';
import { resendWebhookDelivery } from './resend-webhook-delivery.ts';
import { type WebhookDeliveryRecord, webhookDeliveries } from './webhook-deliveries.ts';
import { type FullWebhookDelivery, mostPayloadBytes, webhookDelivery } from './webhook-delivery.ts';
import { mostBytesOf } from './webhook-endpoint-record.ts';

const WebhookDeliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'The state of a delivery.',
  values: {
    WAITING: { value: 'waiting', description: 'Waiting for its first or next attempt.' },
    DELIVERED: { value: 'delivered', description: 'The endpoint accepted it.' },
    PARKED: { value: 'parked', description: 'Given up after three days of attempts.' },
  } as const,
});

const deliveryFields = (t: FieldBuilder<WebhookDeliveryRecord>) => ({
  id: t.exposeInt('id', { description: 'Id of the delivery.', example: 1 }),
  endpointId: t.exposeInt('endpoint', { description: 'Id of the endpoint.', example: 1 }),
  message: t.exposeString('message', {
    description: 'Id of the event, the same for all endpoints and attempts: the header `webhook-id`.',
    example: 'msg_1b4e28ba-2fa1-41d2-883f-0016d3cca427',
    // 40 characters, and quotes.
    mostBytes: 42,
  }),
  type: t.exposeString('type', { description: 'Type of the event.', example: 'api_key.created' }),
  userId: t.exposeInt('account', {
    description: 'Id of the account that the event is about.',
    example: 1,
  }),
  state: t.expose('state', {
    type: WebhookDeliveryState,
    description: 'State of the delivery.',
    example: 'DELIVERED',
  }),
  createdAt: t.expose('createdAt', {
    type: 'DateTime',
    description: 'When the delivery was created.',
    example: '2026-01-31T12:00:00.000Z',
  }),
  attempts: t.exposeInt('attempts', { description: 'Number of attempts so far.', example: 1 }),
  lastAttemptAt: t.expose('lastAttemptAt', {
    ...timeOrNull,
    description: 'When it was last sent. Null if it has not been sent yet.',
    example: '2026-01-31T12:00:01.000Z',
  }),
  lastOutcome: t.exposeString('lastOutcome', {
    nullable: true,
    description:
      'The result of the last attempt, such as `status 204`, `timeout` or `ECONNREFUSED`. Null if there was none.',
    example: 'status 204',
    mostBytes: mostBytesOf.lastOutcome,
  }),
  nextAttemptAt: t.expose('nextAttemptAt', {
    ...timeOrNull,
    description:
      'When the next attempt is due; later if the endpoint is paused or failing. Null if it is not waiting, or waits for an earlier delivery about the same key or account.',
    example: null,
  }),
});

const WebhookDeliveryType = builder.objectRef<WebhookDeliveryRecord>('WebhookDelivery').implement({
  description: 'The delivery of an event to a webhook endpoint.',
  fields: (t) => deliveryFields(t),
});

const FullWebhookDeliveryType = builder.objectRef<FullWebhookDelivery>('FullWebhookDelivery').implement({
  description: 'The delivery of an event to a webhook endpoint, with the message.',
  fields: (t) => ({
    ...deliveryFields(t),
    payload: t.expose('payload', {
      type: 'JSONObject',
      description: 'The message: the body that is signed and sent, as JSON.',
      example: {
        type: 'api_key.created',
        timestamp: '2026-01-31T12:00:00.000Z',
        data: { user_id: 1, issuer: 'https://id.example.com', subject: 'alice', by: 'owner', key_id: 1 },
      },
      mostBytes: mostPayloadBytes,
    }),
  }),
});

const endpointId = { required: true, description: 'Id of the endpoint.', example: 1 } as const;

const deliveryId = { required: true, description: 'Id of the delivery.', example: 1 } as const;

builder.queryFields((t) => ({
  webhookDeliveries: t.connection(
    {
      type: WebhookDeliveryType,
      description:
        'Lists the recent and waiting deliveries of a webhook endpoint, newest first. For operators.',
      summary: 'List webhook deliveries',
      requiredScopes: operator,
      args: {
        endpointId: t.arg.int(endpointId),
        state: t.arg({
          type: WebhookDeliveryState,
          description: 'Return only deliveries in this state.',
          example: 'PARKED',
        }),
      },
      ...runs(webhookDeliveries),
    },
    { name: 'WebhookDeliveryConnection' },
    { name: 'WebhookDeliveryEdge' },
  ),
  webhookDelivery: t.field({
    type: FullWebhookDeliveryType,
    description: 'Returns a recent or waiting delivery with its message. For operators.',
    summary: 'Get a webhook delivery',
    requiredScopes: operator,
    args: { endpointId: t.arg.int(endpointId), deliveryId: t.arg.int(deliveryId) },
    ...runs(webhookDelivery),
  }),
}));

builder.mutationFields((t) => ({
  resendWebhookDelivery: t.field({
    type: WebhookDeliveryType,
    description:
      'Sends a delivery again, whatever its state: the same message with the same id, retried for up to three days. For operators.',
    summary: 'Resend a webhook delivery',
    requiredScopes: operator,
    errors: ['CONFLICT'],
    example: { state: 'WAITING', nextAttemptAt: '2026-01-31T12:00:02.000Z' },
    args: { deliveryId: t.arg.int(deliveryId) },
    ...runs(resendWebhookDelivery),
  }),
}));
