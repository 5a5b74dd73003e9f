import { STATUS_CODES } from 'node:http';
import { header } from '../../rest/openapi-parts.ts';
import { authorizePath } from './problem.ts';

const problem = (status: number, description: string, headers: object, detail: string, reason?: string) => ({
  description,
  headers: {
    ...headers,
    'X-Keyward-Problem': header('The body, for proxies that read header fields only.'),
  },
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      example: { title: STATUS_CODES[status], status, detail, reason },
    },
  },
});

const challenge = { 'WWW-Authenticate': header('The challenge (RFC 9110, section 11.6.1).') };

const retryAfter = { 'Retry-After': header('Seconds to wait.', 'integer') };

const refusals = {
  401: problem(
    401,
    'The request has no API key, or the key is unknown, inactive or expired.',
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
    'A limit of the key, of its account or of the address is used up.',
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
    'Keyward cannot reach its database, or has too many requests.',
    retryAfter,
    'Service Unavailable',
  ),
};

/** The OpenAPI 3.1 description of the request of a reverse proxy. */
export const authorizeOpenApi = {
  paths: {
    [authorizePath]: {
      get: {
        operationId: 'authorizeApiKey',
        tags: ['Verification'],
        summary: 'Tells a reverse proxy whether the API key of a request is good.',
        description:
          'Tells a reverse proxy whether the API key of a request is good. Any method will do, and any path may follow. ' +
          'Anything but 200 means no.',
        parameters: [
          {
            ...{ name: 'X-Keyward-Require', in: 'header', required: false },
            description:
              'The permissions that the request needs, all of them: 1 to 50 names in up to 1000 characters, between spaces or commas. The proxy sets it, and takes away what a client sent.',
            schema: { type: 'string' },
            example: 'documents.read documents.write',
          },
        ],
        responses: {
          200: {
            description: 'The key is good.',
            headers: {
              'X-Keyward-User': header('The account that the key belongs to.'),
              'X-Keyward-Key': header('The identifier of the key.'),
              'X-Keyward-Plan': header('The plan of the account; empty where there are no plans.'),
              'X-Keyward-Permissions': header(
                'The permissions that were asked for, between spaces: the key has all of them. Empty where none were.',
              ),
            },
          },
          ...refusals,
        },
      },
    },
  },
  schemas: {
    Problem: {
      type: 'object',
      description: 'Why a proxy must refuse a request (RFC 9457).',
      required: ['title', 'status', 'detail'],
      properties: {
        title: { type: 'string', description: 'The name of the HTTP status.' },
        status: { type: 'integer', description: 'The HTTP status.' },
        detail: { type: 'string', description: 'A sentence for a person.' },
        reason: {
          type: 'string',
          description:
            'Why, for a program: `no_api_key`, `invalid_api_key`, `account_blocked`, `address_not_allowed`, `insufficient_permissions`, `malformed_requirement`, `rate_limited`, `account_rate_limited`, `too_many_wrong_keys`, `quota_exceeded` or `account_quota_exceeded`. More may be added. Missing if Keyward itself failed.',
        },
      },
    },
  },
};
