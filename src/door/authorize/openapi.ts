import { STATUS_CODES } from 'node:http';
import { header, optionalHeader } from '../../rest/openapi-parts.ts';
import { authorizePath } from './problem.ts';

const problem = (status: number, description: string, headers: object, detail: string, reason?: string) => ({
  description,
  headers: {
    ...headers,
    'X-Keyward-Problem': header('The body again, for proxies that read only header fields.'),
  },
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      example: { title: STATUS_CODES[status], status, detail, reason },
    },
  },
});

const challenge = { 'WWW-Authenticate': header('The challenge (RFC 9110, section 11.6.1).') };

const retryAfter = { 'Retry-After': header('Seconds to wait before a retry.', 'integer') };

/** The header field of an answer during an outage, for each path where an API key decides. */
export const staleHeader = {
  'X-Keyward-Stale': header(
    '`1` if the database is away, and the key was judged by what the database said before. Otherwise missing.',
  ),
};

const refusals = {
  401: problem(
    401,
    'The request has no API key, or the key is unknown, inactive, expired, rotated or paused.',
    challenge,
    'Could not validate credentials',
    'invalid_api_key',
  ),
  403: problem(
    403,
    'The key lacks a permission or may not be used from this address, or its account is blocked.',
    challenge,
    'The API key needs the permissions: documents.read',
    'insufficient_permissions',
  ),
  429: problem(
    429,
    'A limit of the key, its account or the address is used up.',
    {
      ...retryAfter,
      'RateLimit-Policy': header('The limits (draft-ietf-httpapi-ratelimit-headers).'),
      RateLimit: header('What is left of each limit.'),
    },
    'The API key exceeded its rate limit. Retry in 12 seconds.',
    'rate_limited',
  ),
  500: problem(500, 'Keyward failed.', {}, 'Internal Server Error'),
  503: problem(
    503,
    'Keyward cannot reach its database or has too many requests.',
    retryAfter,
    'Service Unavailable',
  ),
};

/**
 * The OpenAPI 3.1 description of the request of a reverse proxy.
 * @param security the ways to send an API key
 */
export const authorizePaths = (security: readonly object[]) => ({
  [authorizePath]: {
    get: {
      operationId: 'authorizeApiKey',
      tags: ['Verification'],
      summary: 'Authorize a proxied request',
      description:
        'Tells a reverse proxy whether a request with an API key may pass. Any method works, and any path may follow. ' +
        'Any status but 200 means no.',
      parameters: [
        {
          ...optionalHeader(
            'X-Keyward-Require',
            'The permissions that the request needs: 1–50 names in up to 1000 characters, separated by spaces or commas. The key must have all of them. The proxy sets this header and removes any that a client sent.',
          ),
          example: 'documents.read documents.write',
        },
      ],
      responses: {
        200: {
          description: 'The request may pass.',
          headers: {
            'X-Keyward-User': header('Id of the account that owns the key.'),
            'X-Keyward-Key': header('Id of the key.'),
            'X-Keyward-Organization': header(
              'The organization that owns the key: its id at the identity provider. Empty if a person owns it.',
            ),
            'X-Keyward-Plan': header('The plan of the account. Empty if the provider has no plans.'),
            'X-Keyward-Permissions': header(
              'The required permissions, separated by spaces. Empty if none were required.',
            ),
            'X-Keyward-Assertion': header(
              'A JWT about the key, its owner and its permissions (RFC 9068), which an application can check itself. Empty without `ASSERTION_KEYS`.',
            ),
            ...staleHeader,
          },
        },
        ...refusals,
      },
      security,
    },
  },
});

/** The schemas that this description refers to. */
export const authorizeSchemas = {
  Problem: {
    type: 'object',
    description: 'Why a proxy must refuse a request (RFC 9457).',
    required: ['title', 'status', 'detail'],
    properties: {
      title: { type: 'string', description: 'Name of the HTTP status.' },
      status: { type: 'integer', description: 'HTTP status.' },
      detail: { type: 'string', description: 'Explanation for people.' },
      reason: {
        type: 'string',
        description:
          'The reason, for programs: `no_api_key`, `invalid_api_key`, `account_blocked`, `address_not_allowed`, `insufficient_permissions`, `malformed_requirement`, `rate_limited`, `account_rate_limited`, `too_many_wrong_keys`, `quota_exceeded` or `account_quota_exceeded`. More may be added. Missing if Keyward itself failed.',
      },
    },
  },
};
