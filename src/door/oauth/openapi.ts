import { header } from '../../rest/openapi-parts.ts';

/** Describes a refusal in OAuth's form. */
export const refusal = (description: string, error: string, sentence: string, headers?: object) => ({
  description,
  ...(headers && { headers }),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/OAuthError' },
      example: { error, error_description: sentence },
    },
  },
});

const retryAfter = { 'Retry-After': header('Seconds to wait before a retry.', 'integer') };

/** Describes the refusals of every request of an OAuth client. */
export const oauthRefusals = {
  413: refusal('The body is too large.', 'invalid_request', 'The body is larger than 65536 bytes'),
  415: refusal(
    'The body is no form.',
    'invalid_request',
    'The body must be application/x-www-form-urlencoded',
  ),
  429: refusal(
    'There were too many requests.',
    'temporarily_unavailable',
    'Too many requests: retry in 12 seconds',
    retryAfter,
  ),
  500: refusal('Keyward failed.', 'server_error', 'Internal Server Error'),
  503: refusal(
    'Keyward cannot reach its database or has too many requests.',
    'temporarily_unavailable',
    'Service Unavailable',
    retryAfter,
  ),
};

/** The schema of a refusal in OAuth's form. */
export const oauthSchemas = {
  OAuthError: {
    type: 'object',
    description: 'Why a request was refused (RFC 6749, section 5.2).',
    required: ['error', 'error_description'],
    properties: {
      error: {
        type: 'string',
        description:
          'The reason, for programs: `invalid_request`, `invalid_client`, `invalid_token`, `insufficient_scope`, `invalid_grant`, `invalid_scope`, `invalid_target`, `unsupported_grant_type`, `access_denied`, `temporarily_unavailable` or `server_error`.',
      },
      error_description: { type: 'string', description: 'Explanation for people.' },
    },
  },
};
