import { operator } from '../auth/scopes.ts';
import { builder, type FieldBuilder } from '../graphql/builder.ts';
import { ResendWebhookDeliveryInput, resendWebhookDelivery } from './resend-webhook-delivery.ts';
import {
  WebhookDeliveriesInput,
  type WebhookDeliveryRecord,
  webhookDeliveries,
} from './webhook-deliveries.ts';
import { mostBytesOf } from './webhook-endpoint-record.ts';

const WebhookDeliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'What became of a webhook.',
  values: {
    WAITING: { value: 'waiting', description: 'It is to be sent, or to be sent again.' },
    DELIVERED: { value: 'delivered', description: 'Its endpoint has taken it.' },
    PARKED: { value: 'parked', description: 'It was tried for three days, and given up.' },
  } as const,
});

const attemptFields = (t: FieldBuilder<WebhookDeliveryRecord>) => ({
  attempts: t.exposeInt('attempts', {
    description: 'How often it was sent.',
    example: 1,
  }),
  lastAttemptAt: t.expose('lastAttemptAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it was sent last; null where it was not yet.',
    example: '2026-01-31T12:00:01.000Z',
  }),
  lastOutcome: t.exposeString('lastOutcome', {
    nullable: true,
    description: 'What that came to: `status 204`, `timeout`, `ECONNREFUSED` and the like.',
    example: 'status 204',
    mostBytes: mostBytesOf.lastOutcome,
  }),
  nextAttemptAt: t.expose('nextAttemptAt', {
    type: 'DateTime',
    nullable: true,
    description:
      'When it is sent next, unless its endpoint is paused or rests after a failure; null where it does not wait, or waits for one before it about the same.',
    example: null,
  }),
});

const WebhookDeliveryType = builder.objectRef<WebhookDeliveryRecord>('WebhookDelivery').implement({
  description: 'An event on its way to a webhook endpoint.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Identifier of the delivery.', example: 1 }),
    endpointId: t.exposeInt('endpoint', {
      description: 'Identifier of the endpoint.',
      example: 1,
    }),
    message: t.exposeString('message', {
      description: 'Names the event, to all endpoints and at each attempt: `webhook-id`.',
      example: 'msg_1b4e28ba-2fa1-41d2-883f-0016d3cca427',
      // 40 characters, and quotes.
      mostBytes: 42,
    }),
    type: t.exposeString('type', {
      description: 'What has happened.',
      example: 'api_key.created',
    }),
    userId: t.exposeInt('account', {
      description: 'Identifier of the account that it is about.',
      example: 1,
    }),
    state: t.expose('state', {
      type: WebhookDeliveryState,
      description: 'What became of it.',
      example: 'DELIVERED',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was made.',
      example: '2026-01-31T12:00:00.000Z',
    }),
    ...attemptFields(t),
  }),
});

builder.queryField('webhookDeliveries', (t) =>
  t.connection(
    {
      type: WebhookDeliveryType,
      description:
        'What was sent to a webhook endpoint in the last days, and what waits for it, newest first. For operators.',
      requiredScopes: operator,
      input: () => WebhookDeliveriesInput,
      args: {
        endpointId: t.arg.int({
          required: true,
          description: 'Identifier of the endpoint.',
          example: 1,
        }),
        state: t.arg({
          type: WebhookDeliveryState,
          description: 'Only those of which this became.',
          example: 'PARKED',
        }),
      },
      resolve: (_root, input, context) => webhookDeliveries(context, input),
    },
    { name: 'WebhookDeliveryConnection' },
    { name: 'WebhookDeliveryEdge' },
  ),
);

builder.mutationField('resendWebhookDelivery', (t) =>
  t.field({
    type: WebhookDeliveryType,
    description:
      'Sends a webhook again, whatever became of it: the same message with the same id, for three days if need be. For operators.',
    requiredScopes: operator,
    input: () => ResendWebhookDeliveryInput,
    errors: ['CONFLICT'],
    example: { state: 'WAITING', nextAttemptAt: '2026-01-31T12:00:02.000Z' },
    args: {
      deliveryId: t.arg.int({
        required: true,
        description: 'Identifier of the delivery.',
        example: 1,
      }),
    },
    resolve: (_root, input, context) => resendWebhookDelivery(context, input),
  }),
);
