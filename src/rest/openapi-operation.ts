import { isNonNullType } from 'graphql';
import { requiredScopesOf } from '../auth/use-required-scopes.ts';
import type { Endpoint } from './endpoints.ts';
import type { Input } from './inputs.ts';
import { exampleAnswerOf, exampleOf, type JsonSchema, orNull, withNulls } from './openapi-components.ts';
import { errorsOf, header } from './openapi-errors.ts';

interface Content {
  content: { 'application/json': { schema: JsonSchema } };
}

/** What Sofa says of an operation. */
export interface SofaOperation {
  /** Path parameters, and all other arguments as if they stood in the query string. */
  parameters?: { in: string; name: string }[];
  /** With all arguments, those in the path as well. */
  requestBody?: Content;
  responses: Record<string, Content>;
}

const sentences = (text: string) => text.split(/(?<=\.) /);

/**
 * An operation in OpenAPI 3.1.
 * @param endpoint its field in REST's names
 * @param sofa what Sofa says of it
 */
export function describeOperation(endpoint: Endpoint, sofa: SofaOperation) {
  const { field } = endpoint;
  const scopes = requiredScopesOf(field);
  return {
    operationId: field.name,
    summary: sentences(field.description ?? '')[0],
    description: field.description,
    ...describeParameters(endpoint, sofa),
    ...describeBody(endpoint, sofa),
    responses: { ...describeSuccess(endpoint, sofa), ...errorsOf(endpoint) },
    security: [{ OAuth2: scopes }, { BearerToken: scopes }],
  };
}

const argumentsIn = ({ inputs }: Endpoint, place: Input['in']) =>
  inputs.filter((input) => input.in === place).map(({ argument }) => argument);

const describeParameters = (endpoint: Endpoint, { parameters = [] }: SofaOperation) => {
  const given = [...argumentsIn(endpoint, 'path'), ...argumentsIn(endpoint, 'query')];
  const described = [
    ...given.map(({ name, description, extensions }) => ({
      ...parameters.find((parameter) => parameter.name === name),
      description,
      example: extensions['example'],
    })),
    ...(endpoint.takesKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  return described.length > 0 ? { parameters: described } : {};
};

const describeBody = (endpoint: Endpoint, { requestBody }: SofaOperation) => {
  const members = argumentsIn(endpoint, 'body');
  if (!requestBody || members.length === 0) return {};
  const { schema } = requestBody.content['application/json'];
  const names = new Set(members.map(({ name }) => name));
  const required = ((schema['required'] ?? []) as string[]).filter((name) => names.has(name));
  const { required: _all, ...object } = schema;
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => names.has(name));
  const body = {
    ...object,
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
  return {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: withNulls(body, members), example: exampleOf(members) } },
    },
  };
};

const describeSuccess = ({ field, created, isPage, takesKey }: Endpoint, { responses }: SofaOperation) => {
  const [status = '200', success] = Object.entries(responses)[0] ?? [];
  const schema = success?.content['application/json'].schema ?? {};
  const headers = {
    ...(created && { Location: header('Path of what was created.') }),
    ...(takesKey && {
      'Idempotent-Replayed': header('`true`: the answer to an earlier request with this `Idempotency-Key`.'),
    }),
    ...(isPage && {
      Link: header('The page that follows, where there is one: `rel="next"` (RFC 8288).'),
    }),
  };
  return {
    [status]: {
      description: created ? 'Created.' : 'Done.',
      ...(Object.keys(headers).length > 0 && { headers }),
      content: {
        'application/json': {
          schema: isNonNullType(field.type) ? schema : orNull(schema),
          example: exampleAnswerOf(field),
        },
      },
    },
  };
};
