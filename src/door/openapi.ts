import { STATUS_CODES } from 'node:http';
import { usualKeyHeader } from './api-key.ts';

const header = (description: string, type = 'string') => ({ description, schema: { type } });

const tag = header('What identifies this state (RFC 9110, section 8.8.3).');

const ref = (name: string) => ({ $ref: `#/components/responses/${name}` });

const failures = {
  401: ref('Unauthorized'),
  403: {
    description:
      'The key is good, but not from this address or not for what is asked, or its account is blocked.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { detail: 'The API key may not be used from this address' },
      },
    },
  },
  429: ref('TooManyRequests'),
  500: ref('InternalServerError'),
  503: ref('ServiceUnavailable'),
};

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

const record = (description: string) => ({
  description,
  headers: { ETag: tag },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiKeyItself' } } },
});

const condition = (name: string, description: string) => ({
  ...{ name, in: 'header', required: false, description },
  schema: { type: 'string' },
});

/** The record of an API key as its bearer sees it. */
export const apiKeyItselfRecord = {
  of: 'ApiKey',
  without: ['encrypted_key', 'encryption_version'],
  beside: { of: 'ApiKeyVerification', members: ['permissions', 'plan', 'entitlement'] },
  description: 'The record of an API key as its bearer sees it.',
};

const operations = {
  '/api/v1/keys/authorize': {
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
  '/api/v1/keys/self': {
    get: {
      operationId: 'readApiKeyItself',
      tags: ['Verification'],
      summary: 'Tells the bearer of an API key what is known of it.',
      description:
        'Tells the bearer of an API key what is known of it. The key stands in place of an access token. It is no use of the key, and counts towards neither its own limit nor its quota.',
      parameters: [
        condition(
          'If-None-Match',
          'The `ETag` of what the caller has: it is sent again only where it has changed.',
        ),
      ],
      responses: {
        200: record('Done.'),
        304: ref('NotModified'),
        ...failures,
        412: ref('PreconditionFailed'),
      },
    },
    delete: {
      operationId: 'deactivateApiKeyItself',
      tags: ['Verification'],
      summary: 'Deactivates the API key that it is asked with.',
      description:
        "Deactivates the API key that it is asked with, from the answer on: for whoever finds a key that leaked. The owner's audit trail tells that the key has done it.",
      parameters: [
        condition(
          'If-Match',
          'The `ETag` of what the caller has read: nothing is changed where it is no longer so.',
        ),
      ],
      responses: { 200: record('Done.'), ...failures, 412: ref('PreconditionFailed') },
    },
  },
};

/** The paths, whose operations all need an API key. */
function pathsFor(security: readonly object[]) {
  const { '/api/v1/keys/authorize': door, '/api/v1/keys/self': itself } = operations;
  return {
    '/api/v1/keys/authorize': { get: { ...door.get, security } },
    '/api/v1/keys/self': {
      get: { ...itself.get, security },
      delete: { ...itself.delete, security },
    },
  };
}

/**
 * The OpenAPI 3.1 description of the requests that carry an API key. No GraphQL field describes them.
 * @param keyHeader the only header field that carries API keys; undefined: `Authorization: Bearer` or `X-API-Key`
 */
export const forwardAuthOpenApi = (keyHeader: string | undefined) => ({
  paths: pathsFor([...(keyHeader === undefined ? [{ ApiKeyBearer: [] }] : []), { ApiKeyHeader: [] }]),
  records: { ApiKeyItself: apiKeyItselfRecord },
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
  securitySchemes: {
    ...(keyHeader === undefined && {
      ApiKeyBearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key in place of an access token.',
      },
    }),
    ApiKeyHeader: {
      type: 'apiKey',
      in: 'header',
      name: keyHeader ?? usualKeyHeader,
      description: 'An API key.',
    },
  },
});
