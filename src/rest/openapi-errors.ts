import type { ErrorCode } from '../errors.ts';
import type { Endpoint } from './endpoints.ts';

const detail = (description: string, example: string, headers?: object) => ({
  description,
  ...(headers && { headers }),
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { detail: example } },
  },
});

/** A header field of an answer. */
export const header = (description: string, type = 'string') => ({ description, schema: { type } });

const retryAfter = { 'Retry-After': header('Seconds to wait.', 'integer') };

const challenge = {
  'WWW-Authenticate': header(
    'What kind of token is wanted, and what was wrong: a Bearer challenge (RFC 6750).',
  ),
};

/** The bodies of errors. */
export const errorSchemas = {
  Error: {
    type: 'object',
    description: 'Why a call failed.',
    required: ['detail'],
    properties: { detail: { type: 'string', description: 'A sentence for a person.' } },
  },
  ValidationError: {
    type: 'object',
    description: 'What is wrong with an input.',
    required: ['detail'],
    properties: {
      detail: {
        type: 'array',
        items: {
          type: 'object',
          required: ['loc', 'msg', 'type'],
          properties: {
            loc: { type: 'array', items: { type: 'string' }, description: 'Location of the faulty input.' },
            msg: { type: 'string', description: 'What is wrong, for a person.' },
            type: { type: 'string', description: "What is wrong, for a program: pydantic 2's names." },
          },
        },
      },
    },
  },
};

/** The answers that operations share. */
export const errorResponses = {
  Unauthorized: detail('There is no access token, or it will not do.', 'Not authenticated', challenge),
  Forbidden: detail('The access token lacks a scope.', 'The access token lacks the scope: email', challenge),
  NotFound: detail('There is no such thing, or it is not yours.', 'API key not found'),
  NotModified: { description: 'It is what the caller has: `If-None-Match` names its tag.' },
  Conflict: detail(
    'What is stored does not allow it, or the first request with this `Idempotency-Key` still runs.',
    'Conflict',
  ),
  PreconditionFailed: detail(
    'It is not what `If-Match` or `If-None-Match` says, and nothing was changed.',
    'It is not as If-Match or If-None-Match says: read it again',
  ),
  PayloadTooLarge: detail(
    'The body is larger than 64 KiB, or what else is configured.',
    'The body is larger than 65536 bytes',
  ),
  UnsupportedMediaType: detail('The body is not JSON.', 'The body must be application/json'),
  UnprocessableContent: {
    description: 'The input is not valid.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ValidationError' },
        example: {
          detail: [{ loc: ['path', 'key_id'], msg: 'Must be a decimal integer.', type: 'int_parsing' }],
        },
      },
    },
  },
  TooManyRequests: detail('There were more requests than the service allows.', 'Too Many Requests', {
    ...retryAfter,
    'RateLimit-Policy': header('The limits (draft-ietf-httpapi-ratelimit-headers).'),
    RateLimit: header('What is left of them.'),
  }),
  InternalServerError: detail('Something went wrong here.', 'Internal Server Error'),
  ServiceUnavailable: detail(
    'The database or the verification keys are not available, or there is too much to do. Nothing was changed, unless `detail` is `It is not known whether the change was made`.',
    'Service Unavailable',
    retryAfter,
  ),
};

type ResponseName = keyof typeof errorResponses;

const ref = (name: ResponseName) => ({ $ref: `#/components/responses/${name}` });

/** Errors of its own that a field may declare in its extension `errors`. */
const declarable: Partial<Record<ErrorCode, readonly [number, ResponseName]>> = {
  NOT_FOUND: [404, 'NotFound'],
  CONFLICT: [409, 'Conflict'],
};

const declaredErrors = (codes: readonly ErrorCode[]) =>
  Object.fromEntries(
    codes.map((code) => {
      const [status, name] = declarable[code] ?? [];
      if (!name) throw new Error(`${code} is not for an operation to declare`);
      return [status, ref(name)];
    }),
  );

/** The errors of an operation, by status. */
export const errorsOf = ({ field, inputs, method, resource, takesKey }: Endpoint) => ({
  ...(method === 'GET' && { 304: ref('NotModified') }),
  401: ref('Unauthorized'),
  403: ref('Forbidden'),
  ...(inputs.some((input) => input.in === 'path') && { 404: ref('NotFound') }),
  ...declaredErrors((field.extensions['errors'] ?? []) as readonly ErrorCode[]),
  ...(takesKey && { 409: ref('Conflict') }),
  ...(resource && { 412: ref('PreconditionFailed') }),
  413: ref('PayloadTooLarge'),
  ...(inputs.some((input) => input.in === 'body') && { 415: ref('UnsupportedMediaType') }),
  ...(inputs.length > 0 && { 422: ref('UnprocessableContent') }),
  429: ref('TooManyRequests'),
  500: ref('InternalServerError'),
  503: ref('ServiceUnavailable'),
});
