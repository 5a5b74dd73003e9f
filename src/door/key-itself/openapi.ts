import { errorAnswer, header, optionalHeader, responseRef as ref } from '../../rest/openapi-parts.ts';
import { staleHeader } from '../authorize/openapi.ts';

const failures = {
  401: ref('Unauthorized'),
  403: errorAnswer(
    'The key may not be used from this address, or its account is blocked.',
    'The API key may not be used from this address',
  ),
  429: ref('TooManyRequests'),
  500: ref('InternalServerError'),
  503: ref('ServiceUnavailable'),
};

const record = (description: string, headers: object = {}) => ({
  description,
  headers: { ETag: header('Entity tag of this state (RFC 9110, section 8.8.3).'), ...headers },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiKeyItself' } } },
});

/** The record of an API key as its bearer sees it. */
export const apiKeyItselfRecord = {
  of: 'ApiKey',
  // A paused key cannot read its record, and who owns a key is for the owner to tell.
  without: [
    ...['encrypted_key', 'encryption_version', 'owner_kind', 'created_by'],
    ...['paused_at', 'paused_by', 'pause_reason'],
  ],
  beside: { of: 'ApiKeyVerification', members: ['permissions', 'plan', 'entitlement'] },
  description: 'An API key as its bearer sees it.',
};

/**
 * The OpenAPI 3.1 description of the requests of an API key about itself.
 * @param security the ways to send an API key
 */
export const keyItselfPaths = (security: readonly object[]) => ({
  '/api/v1/keys/self': {
    get: {
      operationId: 'readApiKeyItself',
      tags: ['Verification'],
      summary: 'Get the presented key',
      description:
        'Returns the API key that the request carries in place of an access token. It does not count towards the rate limit or quota of the key.',
      parameters: [
        optionalHeader(
          'If-None-Match',
          'The `ETag` of an earlier response. If nothing has changed, the response is 304.',
        ),
      ],
      responses: {
        200: record('Done.', staleHeader),
        304: ref('NotModified'),
        ...failures,
        412: ref('PreconditionFailed'),
      },
      security,
    },
    delete: {
      operationId: 'deactivateApiKeyItself',
      tags: ['Verification'],
      summary: 'Deactivate the presented key',
      description:
        "Deactivates the API key that the request carries, for anyone who finds a leaked key. The owner's audit events show that the key itself did it.",
      parameters: [
        optionalHeader(
          'If-Match',
          'The `ETag` of the record as you read it. If it has changed since, nothing is done and the response is 412.',
        ),
      ],
      responses: { 200: record('Done.'), ...failures, 412: ref('PreconditionFailed') },
      security,
    },
  },
});
