import { header, responseRef as ref } from '../../rest/openapi-parts.ts';

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

const record = (description: string) => ({
  description,
  headers: { ETag: header('What identifies this state (RFC 9110, section 8.8.3).') },
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

/** The OpenAPI 3.1 description of the requests of an API key about itself. */
export const keyItselfOpenApi = {
  paths: {
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
  },
  records: { ApiKeyItself: apiKeyItselfRecord },
};
