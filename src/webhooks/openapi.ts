import { type About, webhookEvents } from '../config/values/webhook-events.ts';
import { longestKept } from '../operations/changes.ts';
import { requiredHeader } from '../rest/openapi-parts.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = (description: string, example: unknown, more: Schema = {}): Schema => ({
  type: ['string', 'null'],
  description,
  examples: [example],
  ...more,
});

const ofAccount = {
  user_id: {
    type: 'integer',
    description: 'The account, as `user_id` elsewhere.',
    examples: [1],
  },
  issuer: text(
    'Who has issued its access tokens (`iss`); null where the account was erased.',
    'https://id.example.com',
  ),
  subject: text('Whose it is at that issuer (`sub`); null where the account was erased.', 'alice'),
  by: {
    type: 'string',
    description:
      'Who did it: `owner`, `operator`, `key` (the API key itself), `scanner` (who has found the key in public), `time` (nobody). There may be others later.',
    examples: ['owner'],
  },
  reason: text('Why, in the words of an operator; null where nobody said.', null),
  changes: {
    type: 'array',
    description: 'What was changed, where it is known.',
    items: {
      type: 'object',
      properties: {
        field: { type: 'string', description: 'As REST names it.', examples: ['name'] },
        from: {
          description: `What it was; null where it was not set. Of a list, the items that were taken out. In place of a value of more than ${longestKept} bytes as JSON stands its digest: \`sha256\` (hexadecimal) and \`bytes\`, the length.`,
          examples: ['Laptop'],
        },
        to: {
          description: 'What it is now. Of a list, the items that were put in. Long values as with `from`.',
          examples: ['Desk'],
        },
      },
      required: ['field', 'from', 'to'],
    },
    examples: [[]],
  },
} as const;

const ofApiKey = {
  key_id: { type: 'integer', description: 'The API key.', examples: [1] },
  key_prefix: text('How its secret begins, when this was sent.', 'sk-a1b2c3'),
  name: text('What it is called, when this was sent.', 'Laptop'),
  expires_at: text('Until when it is valid, when this was sent; null: for as long as it is active.', null, {
    format: 'date-time',
  }),
} as const;

const schemaOf = (description: string, properties: Schema): Schema => ({
  type: 'object',
  description,
  properties: {
    type: { type: 'string', description: 'What has happened.' },
    timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
    data: {
      type: 'object',
      description: 'What it happened to.',
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
} as const satisfies Record<About, object>;

const day = '2026-02-14T12:00:00.000Z';
const renamed = [{ field: 'name', from: 'Laptop', to: 'Desk' }];

/** The members of an event's example that differ from the common one. */
const examples: Readonly<Record<string, Schema>> = {
  'api_key.updated': { name: 'Desk', changes: renamed },
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
    'Names the event, the same at each attempt: who has seen it passes it over.',
    'msg_1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  ),
  WebhookTimestamp: requiredHeader(
    'webhook-timestamp',
    'When it was sent, in seconds since 1970.',
    '1769860800',
  ),
  WebhookSignature: requiredHeader(
    'webhook-signature',
    'HMAC-SHA-256 of `webhook-id.webhook-timestamp.body` in base64, after `v1,`; while a secret is replaced, one by each, with a space between them (Standard Webhooks).',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

/** Makes the description of a body, with an example. */
function bodyOf(type: string, about: About): Schema {
  const { name, properties } = bodies[about];
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

const describe = (type: string, about: About, summary: string) => ({
  post: {
    operationId: `on${type.split(/[._]/).map(capitalised).join('')}`,
    tags: ['Webhooks'],
    summary,
    description: `${summary} It is signed by Standard Webhooks; what is not taken is sent again for three days.`,
    parameters: Object.keys(parameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': bodyOf(type, about) } },
    responses: {
      '2XX': { description: 'It is taken, and not sent again.' },
      default: {
        description: 'Anything else, a redirect too, or no answer in 15 seconds: it is sent again.',
      },
    },
    security: [],
  },
});

const webhooks: Record<string, object> = {};
// Several actions may share a type; the first one's summary describes it.
for (const { type, about, summary } of Object.values(webhookEvents))
  webhooks[type] ??= describe(type, about, summary);

/** The OpenAPI 3.1 description of webhooks. No GraphQL field describes them. */
export const webhooksOpenApi = {
  webhooks: webhooks as Readonly<Record<string, object>>,
  schemas: {
    [bodies['api-key'].name]: schemaOf('Something happened to an API key.', bodies['api-key'].properties),
    [bodies.account.name]: schemaOf('Something happened to an account.', bodies.account.properties),
  },
  parameters,
};
