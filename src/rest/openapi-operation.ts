import { isNonNullType, isRequiredArgument } from 'graphql';
import { requiredScopesOf } from '../auth/use-required-scopes.ts';
import type { OperationLimits } from '../operations/context.ts';
import type { Endpoint } from './endpoints.ts';
import type { Input } from './inputs.ts';
import { exampleAnswerOf, exampleOf, type JsonSchema, orNull, withNulls } from './openapi-components.ts';
import { errorsOf, header } from './openapi-errors.ts';
import { type InputRules, inputRules } from './openapi-inputs.ts';

interface Content {
  content: { 'application/json': { schema: JsonSchema } };
}

/** What Sofa says of an operation. */
export interface SofaOperation {
  /** Path parameters, and all other arguments as if they stood in the query string. */
  parameters?: { in: string; name: string; schema: JsonSchema }[];
  /** With all arguments, those in the path as well. */
  requestBody?: Content;
  responses: Record<string, Content>;
}

const sentences = (text: string) => text.split(/(?<=\.) /);

/**
 * An operation in OpenAPI 3.1.
 * @param endpoint its field in REST's names
 * @param sofa what Sofa says of it
 * @param tag what it is listed under
 */
export function describeOperation(
  endpoint: Endpoint,
  sofa: SofaOperation,
  limits: OperationLimits,
  tag: string | undefined,
) {
  const { field } = endpoint;
  const rules = inputRules(endpoint, limits);
  const scopes = requiredScopesOf(field);
  return {
    operationId: field.name,
    ...(tag !== undefined && { tags: [tag] }),
    summary: sentences(field.description ?? '')[0],
    description: field.description,
    ...describeParameters(endpoint, sofa, rules),
    ...describeBody(endpoint, sofa, rules),
    responses: { ...describeSuccess(endpoint, sofa), ...errorsOf(endpoint) },
    security: [{ OAuth2: scopes }, { BearerToken: scopes }],
  };
}

const argumentsIn = ({ inputs }: Endpoint, place: Input['in']) =>
  inputs.filter((input) => input.in === place).map(({ argument }) => argument);

const describeParameters = (endpoint: Endpoint, { parameters = [] }: SofaOperation, rules: InputRules) => {
  const given = [...argumentsIn(endpoint, 'path'), ...argumentsIn(endpoint, 'query')];
  const described = [
    ...given.map((argument) => {
      const parameter = parameters.find(({ name }) => name === argument.name);
      return {
        ...parameter,
        schema: { ...parameter?.schema, ...rules.of(argument) },
        description: argument.description,
        example: argument.extensions['example'],
      };
    }),
    ...(endpoint.takesKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  return described.length > 0 ? { parameters: described } : {};
};

const describeBody = (endpoint: Endpoint, { requestBody }: SofaOperation, rules: InputRules) => {
  const members = argumentsIn(endpoint, 'body');
  if (!requestBody || members.length === 0) return {};
  const { required: _all, ...object } = requestBody.content['application/json'].schema;
  const required = members
    .filter((member) => isRequiredArgument(member) || rules.isRequired(member))
    .map(({ name }) => name);
  const properties = members.map((member) => [
    member.name,
    { ...object.properties?.[member.name], ...rules.of(member) },
  ]);
  const body = {
    ...object,
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(endpoint.refusesUnknown && { additionalProperties: false }),
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
