import { mostPermissions } from '../../plans/permissions.ts';
import { staleHeader } from '../authorize/openapi.ts';
import { tokenPath } from '../oauth/errors.ts';
import { oauthRefusals, refusal } from '../oauth/openapi.ts';
import { issuedTypes, subjectTypes, tokenExchange } from './read-token-exchange.ts';

const example = {
  grant_type: tokenExchange,
  subject_token: 'API_KEY',
  subject_token_type: subjectTypes[0],
  scope: 'documents.read',
};

const form = {
  type: 'object',
  required: ['grant_type', 'subject_token', 'subject_token_type'],
  properties: {
    grant_type: { type: 'string', description: 'The grant type of token exchange.', enum: [tokenExchange] },
    subject_token: { type: 'string', description: 'The API key.', minLength: 1, writeOnly: true },
    subject_token_type: { type: 'string', description: 'What the API key is.', enum: subjectTypes },
    scope: {
      type: 'string',
      description: `Permissions for the token, at most ${mostPermissions}, separated by spaces. The key must have all of them. Default: all that the key has.`,
    },
    audience: {
      type: 'string',
      description: 'The service that the token is for, one of `ASSERTION_AUDIENCE`. Default: the first.',
    },
    resource: { type: 'string', description: 'The same as `audience`, for a service named by its URL.' },
    requested_token_type: { type: 'string', description: 'What the token is.', enum: issuedTypes },
  },
};

/** The OpenAPI 3.1 description of token exchange. No GraphQL field describes it. */
export const tokenExchangePaths = {
  [tokenPath]: {
    post: {
      operationId: 'exchangeToken',
      tags: ['Verification'],
      summary: 'Exchange an API key',
      description:
        'Gives a JWT in exchange for an API key (RFC 8693). The token may do the same as the key or less, and expires within a minute. The key itself authorizes the request, and this counts as one use of it. Unknown parameters are ignored. Only with `ASSERTION_KEYS`: without it, the path does not exist.',
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: form, example } },
      },
      responses: {
        200: {
          description: 'The token.',
          headers: staleHeader,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/ExchangedToken' },
              example: {
                access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.eyJ.sig',
                issued_token_type: issuedTypes[0],
                token_type: 'Bearer',
                expires_in: 60,
                scope: 'documents.read',
              },
            },
          },
        },
        400: refusal(
          'The key does not work (`invalid_grant`), lacks a permission of `scope` (`invalid_scope`), or no token is issued for this `audience` or `resource` (`invalid_target`). Or a parameter is missing, repeated or not valid.',
          'invalid_grant',
          'Could not validate credentials',
        ),
        ...oauthRefusals,
      },
      security: [],
    },
  },
};

/** The schemas that this description refers to. */
export const tokenExchangeSchemas = {
  ExchangedToken: {
    type: 'object',
    description: 'A token in exchange for an API key (RFC 8693, section 2.2.1).',
    required: ['access_token', 'issued_token_type', 'token_type', 'expires_in'],
    properties: {
      access_token: {
        type: 'string',
        description: 'The token: a JWT in the profile of RFC 9068.',
        readOnly: true,
      },
      issued_token_type: { type: 'string', description: 'What the token is.', enum: issuedTypes },
      token_type: {
        type: 'string',
        description: 'How to send the token: as a bearer token.',
        enum: ['Bearer'],
      },
      expires_in: { type: 'integer', description: 'Seconds until the token expires.' },
      scope: {
        type: 'string',
        description: 'The permissions of the token, separated by spaces. Missing if it has none.',
      },
    },
  },
};
