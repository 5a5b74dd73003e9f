import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { isForOwner } from '../auth/required-scopes.ts';
import type { ErrorCode } from '../errors.ts';
import { factsOf } from '../graphql/field-facts.ts';
import type { BoundRoute } from './bound-routes.ts';
import { errorAnswer, header, responseRef } from './openapi-parts.ts';
import { inRestNames, snakeCase } from './rest-schema.ts';

/** A JSON Schema as Sofa writes it: for OpenAPI 3.0, without null as a type. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  [keyword: string]: unknown;
}

type Described = Pick<GraphQLField<unknown, unknown> | GraphQLArgument, 'name' | 'type' | 'extensions'>;

/** Whether REST has a member only in some records. */
const isSometimes = (member: Pick<Described, 'extensions'>): boolean => {
  const { onlyIfSet, leftOutIf } = factsOf(member);
  return onlyIfSet === true || leftOutIf !== undefined;
};

/** A description from GraphQL with the names of other fields as in REST. Variables, headers and codes stay. */
export const namesInRest = (text: string): string =>
  text.replace(/`([a-z]\w*)`/g, (_, name: string) => `\`${snakeCase(name)}\``);

const describe = (schema: JsonSchema): JsonSchema =>
  schema.description === undefined ? schema : { ...schema, description: namesInRest(schema.description) };

/** The schema that accepts null as well. */
export const orNull = (schema: JsonSchema): JsonSchema => {
  // A schema without a type accepts any JSON, null included.
  if (!('type' in schema || '$ref' in schema)) return schema;
  return typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
};

/** The schema of an object: each member that GraphQL lets be null accepts null, unless REST then leaves it out. */
export function withNulls(schema: JsonSchema, members: readonly Described[]): JsonSchema {
  const nullable = new Set(
    members.filter((member) => !isNonNullType(member.type) && !isSometimes(member)).map(({ name }) => name),
  );
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const described = describe(property);
    return [name, nullable.has(name) ? orNull(described) : described] as const;
  });
  return { ...describe(schema), properties: Object.fromEntries(properties) };
}

/**
 * The object types of the schema as OpenAPI 3.1 components. Every member is required, because answers always have all
 * members but those that have the fact `onlyIfSet` or `leftOutIf`.
 */
export function toComponents(
  schema: GraphQLSchema,
  sofaSchemas: Readonly<Record<string, JsonSchema>>,
): Record<string, JsonSchema> {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const components = Object.entries(sofaSchemas).flatMap(([name, sofaSchema]) => {
    const type = schema.getType(name);
    if (!isObjectType(type) || roots.includes(type)) return [];
    const members = Object.values(type.getFields());
    const required = members.filter((member) => !isSometimes(member)).map((member) => member.name);
    return [[name, { ...withNulls(sofaSchema, members), required }] as const];
  });
  return Object.fromEntries(components);
}

/**
 * An example of a type or of a list of arguments, put together from the `example` of each field and argument.
 */
export function exampleOf(of: GraphQLOutputType | readonly GraphQLArgument[]): unknown {
  if (Array.isArray(of))
    return Object.fromEntries(
      of.map((argument) => [argument.name, inRestNames(argument.type, factsOf(argument).example)]),
    );
  const type = getNullableType(of as GraphQLOutputType);
  if (isListType(type)) return [exampleOf(type.ofType)];
  if (!isObjectType(type)) return undefined;
  return Object.fromEntries(
    Object.values(type.getFields()).flatMap((field) => {
      const { example } = factsOf(field);
      if (isSometimes(field)) return [];
      return [[field.name, example === undefined ? exampleOf(field.type) : inRestNames(field.type, example)]];
    }),
  );
}

/**
 * An example of a root field's answer. The example of the answer's type is the base; the members in the field's own
 * `example` (in GraphQL names) replace its members. If the answer has no members, the field's own is the whole example.
 */
export function exampleAnswerOf(field: GraphQLField<unknown, unknown>): unknown {
  const { type } = field;
  const own = factsOf(field).example;
  if (typeof own !== 'object' || own === null) return own ?? exampleOf(type);
  const record = getNullableType(type);
  const fields = isObjectType(record) ? record.getFields() : {};
  const members = Object.entries(own).map(([name, value]) => {
    const spelled = snakeCase(name);
    return [spelled, inRestNames(fields[spelled]?.type, value)];
  });
  return { ...(exampleOf(type) as object), ...Object.fromEntries(members) };
}

const retryAfter = { 'Retry-After': header('Seconds to wait before a retry.', 'integer') };

const challenge = {
  'WWW-Authenticate': header('A Bearer challenge: the required token, and what was wrong (RFC 6750).'),
};

/** The schemas of error bodies. */
export const errorSchemas = {
  Error: {
    type: 'object',
    description: 'Why the request failed.',
    required: ['detail'],
    properties: { detail: { type: 'string', description: 'Explanation for people.' } },
  },
  ValidationError: {
    type: 'object',
    description: 'What is wrong with the input.',
    required: ['detail'],
    properties: {
      detail: {
        type: 'array',
        items: {
          type: 'object',
          required: ['loc', 'msg', 'type'],
          properties: {
            loc: { type: 'array', items: { type: 'string' }, description: 'Where the invalid input is.' },
            msg: { type: 'string', description: 'What is wrong, for people.' },
            type: { type: 'string', description: 'What is wrong, for programs: the names of pydantic 2.' },
          },
        },
      },
    },
  },
};

/** The error answers that all operations share, and 304. */
export const errorResponses = {
  Unauthorized: errorAnswer('The access token is missing or not valid.', 'Not authenticated', challenge),
  Forbidden: errorAnswer(
    'The access token lacks a scope.',
    'The access token lacks the scope: email',
    challenge,
  ),
  NotFound: errorAnswer('It does not exist, or it is not yours.', 'API key not found'),
  NotModified: { description: 'Nothing has changed since the `ETag` in `If-None-Match`.' },
  Conflict: errorAnswer(
    'The current state does not allow the change, or the first request with this `Idempotency-Key` is still running.',
    'Conflict',
  ),
  PreconditionFailed: errorAnswer(
    'The record does not match `If-Match` or `If-None-Match`. Nothing was changed.',
    'Precondition failed (If-Match or If-None-Match). Read it again, then retry',
  ),
  PayloadTooLarge: errorAnswer(
    'The body is too large (default limit: 64 KiB).',
    'The body is larger than 65536 bytes',
  ),
  UnsupportedMediaType: errorAnswer('The body is not JSON.', 'The body must be application/json'),
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
  TooManyRequests: errorAnswer('Too many requests.', 'Too Many Requests', {
    ...retryAfter,
    'RateLimit-Policy': header('The limits (draft-ietf-httpapi-ratelimit-headers).'),
    RateLimit: header('What is left of the limits.'),
  }),
  InternalServerError: errorAnswer('Keyward failed.', 'Internal Server Error'),
  ServiceUnavailable: errorAnswer(
    'The database or the verification keys are unavailable, or the load is too high. Nothing was changed, unless `detail` is `It is not known whether the change was made`.',
    'Service Unavailable',
    retryAfter,
  ),
};

type ResponseName = keyof typeof errorResponses;

const ref = responseRef<ResponseName>;

/** The errors that a field may declare by its fact `errors`. */
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

/** The error answers of an operation (and 304), by status code. */
export const errorsOf = ({ field, inputs, method, resource, takesKey }: BoundRoute) => ({
  ...(method === 'GET' && { 304: ref('NotModified') }),
  401: ref('Unauthorized'),
  403: ref('Forbidden'),
  ...((isForOwner(field) || inputs.some((input) => input.in === 'path')) && { 404: ref('NotFound') }),
  ...declaredErrors(factsOf(field).errors ?? []),
  ...(takesKey && { 409: ref('Conflict') }),
  ...(resource && { 412: ref('PreconditionFailed') }),
  413: ref('PayloadTooLarge'),
  ...(inputs.some((input) => input.in === 'body') && { 415: ref('UnsupportedMediaType') }),
  ...((isForOwner(field) || inputs.length > 0) && { 422: ref('UnprocessableContent') }),
  429: ref('TooManyRequests'),
  500: ref('InternalServerError'),
  503: ref('ServiceUnavailable'),
});
