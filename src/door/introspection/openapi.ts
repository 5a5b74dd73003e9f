import { longestKey, mostUnits } from '../../api-keys/verify/verify-api-key.ts';
import { keyVerifier } from '../../auth/scopes.ts';
import { header } from '../../rest/openapi-parts.ts';
import { staleHeader } from '../authorize/openapi.ts';
import { introspectionPath } from '../oauth/errors.ts';
import { oauthRefusals, refusal } from '../oauth/openapi.ts';

const key = `sk-a1b2c3.${'0'.repeat(64)}`;

const challenge = { 'WWW-Authenticate': header('The challenge (RFC 9110, section 11.6.1).') };

const refusals = {
  400: refusal(
    'A parameter is missing, repeated or not valid.',
    'invalid_request',
    'The parameter token is missing',
  ),
  401: refusal(
    'The caller did not sign in, or with a wrong secret or token.',
    'invalid_client',
    'Not authenticated',
    challenge,
  ),
  403: refusal(
    'The caller lacks the scope `keys.verify`.',
    'insufficient_scope',
    'The access token lacks the scope: keys.verify',
    challenge,
  ),
  ...oauthRefusals,
};

const form = {
  type: 'object',
  required: ['token'],
  properties: {
    token: {
      type: 'string',
      description: `The API key as the client sent it. A text of more than ${longestKey} characters is none.`,
      minLength: 1,
      writeOnly: true,
    },
    token_type_hint: { type: 'string', description: 'Ignored.' },
    cost: {
      type: 'integer',
      description: `Units to use of the key's quota and of its account's quota (0–${mostUnits}). Default: 1. With 0, no units are used, but the call still counts towards the rate limits.`,
      minimum: 0,
      maximum: mostUnits,
    },
    address: {
      type: 'string',
      description: "The client's IP address. Without one, a key with `allowed_addresses` is inactive.",
    },
  },
};

/** The OpenAPI 3.1 description of introspection. No GraphQL field describes it. */
export const introspectionPaths = {
  [introspectionPath]: {
    post: {
      operationId: 'introspectToken',
      tags: ['Verification'],
      summary: 'Introspect an API key',
      description:
        "Answers an OAuth client's standard question about an API key (RFC 7662). It counts towards the key's usage and limits, like `verifyApiKey`. Anything but a key that works now is inactive, whatever the reason. Unknown parameters are ignored.",
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: form, example: { token: key } } },
      },
      responses: {
        200: {
          description: 'Whether the key works now. If not, the response has only `active`.',
          headers: staleHeader,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Introspection' },
              example: {
                active: true,
                scope: 'documents.read reports.*',
                client_id: 'key:1',
                sub: 'alice',
                username: 'alice',
                iss: 'https://keyward.example.com',
                exp: 4_073_544_000,
                iat: 1_769_860_800,
                token_type: 'Bearer',
                key_id: 1,
                user_id: 1,
                owner_kind: 'person',
                plan: 'pro',
              },
            },
          },
        },
        ...refusals,
      },
      security: ['OAuth2', 'BearerToken', 'ServerSecret'].map((name) => ({ [name]: keyVerifier })),
    },
  },
};

const text = (description: string) => ({ type: 'string', description });
const time = (description: string) => ({
  type: 'integer',
  description: `${description}, in seconds since 1970.`,
});
const id = (description: string) => ({ type: 'integer', description });

/** The schemas that this description refers to. */
export const introspectionSchemas = {
  Introspection: {
    type: 'object',
    description: 'What OAuth clients are told about an API key (RFC 7662, section 2.2).',
    required: ['active'],
    properties: {
      active: { type: 'boolean', description: 'Whether the key works now.' },
      scope: text(
        "The key's permissions that its account may have, separated by spaces. A `*` at the end stands as it is.",
      ),
      client_id: text('`key:` and the id of the key.'),
      sub: text('The owner, as the identity provider names the person or the organization.'),
      username: text('The same as `sub`.'),
      iss: text('The public URL of Keyward.'),
      exp: time('When the key expires. Missing if it never does'),
      iat: time('When the key was created'),
      token_type: text('Always `Bearer`.'),
      key_id: id('Id of the key.'),
      user_id: id('Id of the account that owns the key.'),
      owner_kind: text('Who owns the key: `person` or `organization`.'),
      organization_id: text(
        'The organization that owns the key: its id at the identity provider. Missing if a person owns it.',
      ),
      plan: text('The plan of the account. Missing if the provider has no plans.'),
    },
  },
};
