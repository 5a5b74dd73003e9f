import { subjectOf, webhookEvents } from '../config/values/webhook-events.ts';
import { requiredHeader } from '../rest/openapi-parts.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = (description: string, example: unknown, more: Schema = {}): Schema => ({
  type: ['string', 'null'],
  description,
  examples: [example],
  ...more,
});

const ofAccount = {
  user_id: { type: 'integer', description: 'Id of the account.', examples: [1] },
  issuer: text(
    'Issuer of the access tokens (`iss`). Null if the account was erased.',
    'https://id.example.com',
  ),
  subject: text(
    "Subject of the access tokens (`sub`), or the organization's id. Null if the account was erased.",
    'alice',
  ),
  owner_kind: {
    type: 'string',
    description: 'Whose account it is: `person` or `organization`.',
    examples: ['person'],
  },
  organization_id: text(
    "The organization's id at the identity provider. Null for a person, and if the account was erased.",
    null,
  ),
  by: {
    type: 'string',
    description:
      'Who did it: `owner`, `member` (of the organization), `operator`, `provider` (a server of the API provider), `key` (the API key itself), `scanner` (a scanner that found the key in public) or `time` (nobody). More may be added.',
    examples: ['owner'],
  },
  member_id: {
    type: ['integer', 'null'],
    description: 'Id of the account of the member who did it. Null if `by` is not `member`.',
    examples: [null],
  },
  reason: text("The operator's reason. Null if none was given.", null),
  changes: {
    type: 'array',
    description: 'The changed members. Empty if `type` says everything.',
    items: {
      type: 'object',
      properties: {
        field: { type: 'string', description: 'The changed member by its REST name.', examples: ['name'] },
        from: {
          description:
            'The previous value. Null if it was not set. For a list, only the removed items. A long value is shortened to an object with `starts` (the beginning of its JSON) and `bytes` (its length).',
          examples: ['Laptop'],
        },
        to: {
          description:
            'The new value. Null if it is not set. For a list, only the added items. A long value is shortened as in `from`.',
          examples: ['Desk'],
        },
      },
      required: ['field', 'from', 'to'],
    },
    examples: [[]],
  },
} as const;

const ofApiKey = {
  key_id: { type: 'integer', description: 'Id of the API key.', examples: [1] },
  key_prefix: text('The `key_prefix` of the key, at the time of sending.', 'sk-a1b2c3'),
  name: text('Name of the key, at the time of sending.', 'Laptop'),
  expires_at: text('When the key expires, at the time of sending. Null if it never expires.', null, {
    format: 'date-time',
  }),
} as const;

const schemaOf = (description: string, properties: Schema): Schema => ({
  type: 'object',
  description,
  properties: {
    type: { type: 'string', description: 'Type of the event.' },
    timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
    data: {
      type: 'object',
      description: 'What the event is about.',
      properties,
      required: Object.keys(properties),
    },
  },
  required: ['type', 'timestamp', 'data'],
});

/** The bodies, by their subject. */
const bodies = {
  'api-key': { name: 'ApiKeyWebhook', properties: { ...ofAccount, ...ofApiKey } },
  account: { name: 'AccountWebhook', properties: ofAccount },
} as const;

const day = '2026-02-14T12:00:00.000Z';
const renamed = [{ field: 'name', from: 'Laptop', to: 'Desk' }];

/** The members of an event's example that differ from the common one. */
const examples: Readonly<Record<string, Schema>> = {
  'api_key.updated': { name: 'Desk', changes: renamed },
  'api_key.paused': {
    by: 'operator',
    reason: 'Ticket 42: it may have leaked',
    changes: [
      { field: 'paused_at', from: null, to: '2026-01-31T12:00:00.000Z' },
      { field: 'paused_by', from: null, to: 'operator' },
    ],
  },
  'api_key.resumed': {
    changes: [
      { field: 'paused_at', from: '2026-01-30T12:00:00.000Z', to: null },
      { field: 'paused_by', from: 'owner', to: null },
    ],
  },
  'api_key.leaked': {
    by: 'scanner',
    changes: [
      { field: 'leaked_url', from: null, to: 'https://github.com/octocat/Hello-World/blob/main/a.txt' },
      { field: 'is_active', from: true, to: false },
    ],
  },
  'api_key.expiring': { by: 'time', expires_at: day },
  'api_key.expired': { by: 'time', expires_at: '2026-01-31T12:00:00.000Z' },
  'quota.exhausted': { by: 'key' },
  'automation_settings.updated': { changes: [{ field: 'session_duration', from: null, to: 3600 }] },
  'account.blocked': { by: 'operator', reason: 'Ticket 42: its keys were published' },
  'account.unblocked': { by: 'operator', reason: 'Ticket 42: done' },
  'account.quota_exhausted': { by: 'key' },
  'account.entitlement_changed': {
    by: 'provider',
    reason: 'Invoice 1042',
    changes: [{ field: 'plan', from: 'free', to: 'pro' }],
  },
  'account.erased': { by: 'operator', reason: 'Ticket 43: asked for it', issuer: null, subject: null },
};

const parameters = {
  WebhookId: requiredHeader(
    'webhook-id',
    'Id of the event, the same at each attempt. Skip events that you have already seen.',
    'msg_1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  ),
  WebhookTimestamp: requiredHeader(
    'webhook-timestamp',
    'When the message was sent, in seconds since 1970.',
    '1769860800',
  ),
  WebhookSignature: requiredHeader(
    'webhook-signature',
    '`v1,` and the HMAC-SHA-256 of `webhook-id.webhook-timestamp.body` in base64 (Standard Webhooks). After a rotation, one signature for each secret, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

/** Makes the description of a body, with an example. */
function bodyOf(type: string): Schema {
  const { name, properties } = bodies[subjectOf(type)];
  const usual = Object.entries(properties).map(([name, { examples }]) => [name, (examples as unknown[])[0]]);
  return {
    schema: {
      allOf: [{ $ref: `#/components/schemas/${name}` }, { properties: { type: { const: type } } }],
    },
    example: {
      type,
      timestamp: '2026-01-31T12:00:00.000Z',
      data: { ...Object.fromEntries(usual), ...examples[type] },
    },
  };
}

const capitalised = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

/** The title of an event type: `api_key.created` → `API key created`. */
const titleOf = (type: string): string => capitalised(type.replace(/[._]/g, ' ')).replace(/^Api/, 'API');

const describe = (type: string, summary: string) => ({
  post: {
    operationId: `on${type.split(/[._]/).map(capitalised).join('')}`,
    tags: ['Webhooks'],
    summary: titleOf(type),
    description: `${summary} Signed as Standard Webhooks defines. Retried for up to three days.`,
    parameters: Object.keys(parameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': bodyOf(type) } },
    responses: {
      '2XX': { description: 'Accepted; not sent again.' },
      default: {
        description: 'Any other response (even a redirect), or none within 15 seconds: sent again.',
      },
    },
    security: [],
  },
});

const webhooks: Record<string, object> = {};
// Several actions may share a type; the first one's summary describes it.
for (const { type, summary } of Object.values(webhookEvents)) webhooks[type] ??= describe(type, summary);

/** The OpenAPI 3.1 description of webhooks. No GraphQL field describes them. */
export const webhooksOpenApi = {
  webhooks: webhooks as Readonly<Record<string, object>>,
  schemas: {
    [bodies['api-key'].name]: schemaOf('An event about an API key.', bodies['api-key'].properties),
    [bodies.account.name]: schemaOf('An event about an account.', bodies.account.properties),
  },
  parameters,
};
