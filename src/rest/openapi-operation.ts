import {
  type GraphQLArgument,
  type GraphQLInputObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { z } from 'zod';
import { alternativesOf, isForOwner } from '../auth/required-scopes.ts';
import { operator } from '../auth/scopes.ts';
import { isScopeOverOthers } from '../config/issuers.ts';
import { factsOf } from '../graphql/field-facts.ts';
import type { OperationSettings } from '../operations/context.ts';
import { type BoundRoute, type Input, innerRecord, readOnlyNames } from './bound-routes.ts';
import {
  errorsOf,
  exampleAnswerOf,
  exampleOf,
  type JsonSchema,
  namesInRest,
  orNull,
  withNulls,
} from './openapi-components.ts';
import { header } from './openapi-parts.ts';
import { inRestNames, pageArguments, snakeCase } from './rest-schema.ts';

/**
 * The keywords that the description takes from the zod schema. The GraphQL schema gives the types and says which
 * values may be null.
 */
const keywords = [
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'pattern'],
  ...['maxProperties', 'writeOnly'],
] as const;

const pick = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(keywords.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : [])));

/** The schema without its null branch: `anyOf: [A, null]` → `A`. */
const withoutNull = (schema: JsonSchema): JsonSchema => {
  const others = schema['anyOf'] as JsonSchema[] | undefined;
  return others?.find(({ type }) => type !== 'null') ?? schema;
};

/** The schema of an input object: the zod schema describes its members, in REST names. */
const describeObject = (
  type: GraphQLInputObjectType,
  schema: JsonSchema,
  record: BoundRoute['record'],
): JsonSchema => {
  const known = new Map(
    Object.entries(schema.properties ?? {}).map(([name, each]) => [snakeCase(name), each]),
  );
  const members = Object.values(type.getFields());
  const properties = members.map(({ name, description }) => [name, { ...known.get(name), description }]);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...readOnly(record, members) },
    required: members.filter(isRequiredInputField).map(({ name }) => name),
    additionalProperties: false,
  };
};

/**
 * The schemas of a record's read-only members. The service ignores these members when a caller sends the record back.
 */
const readOnly = (
  record: BoundRoute['record'],
  members: readonly { readonly name: string }[],
): Record<string, JsonSchema> =>
  Object.fromEntries(
    readOnlyNames(record, members).map((name) => [
      name,
      { readOnly: true, description: 'Of the record: passed over.' },
    ]),
  );

/**
 * Reads the rules of a route's inputs from the operation's zod schema. An operation without a schema has no
 * rules.
 */
function inputRules({ field, isPage, record }: BoundRoute, settings: OperationSettings) {
  const { input } = factsOf(field);
  const { properties = {}, required = [] } = (
    input ? z.toJSONSchema(input(settings), { io: 'input', unrepresentable: 'any' }) : {}
  ) as JsonSchema & { required?: string[] };
  const inRest = (name: string) => (isPage && pageArguments.get(name)) || snakeCase(name);
  const members = new Map(Object.entries(properties).map(([name, member]) => [inRest(name), member]));
  const requiredNames = new Set(required.map(inRest));
  return {
    /**
     * The JSON Schema of an argument's value.
     * @param described the schema that is known so far
     */
    of: ({ name, type }: GraphQLArgument, described: JsonSchema = {}): JsonSchema => {
      const inner = getNullableType(type);
      const schema = withoutNull(members.get(name) ?? {});
      if (isInputObjectType(inner)) return describeObject(inner, schema, innerRecord(record, name));
      if (isListType(inner)) return { ...described, ...schema };
      if (isEnumType(inner))
        return { type: 'string', enum: inner.getValues().map(({ name: value }) => value) };
      return {
        ...described,
        ...pick(schema),
        ...(getNamedType(type).extensions['inputSchema'] as JsonSchema | undefined),
      };
    },
    /** Whether a request must give the argument. */
    isRequired: ({ name }: GraphQLArgument) => requiredNames.has(name),
  };
}

type InputRules = ReturnType<typeof inputRules>;

interface Content {
  content: { 'application/json': { schema: JsonSchema } };
}

/** Sofa's description of an operation. */
export interface SofaOperation {
  /** The path parameters, and all other arguments as query parameters. */
  parameters?: { in: string; name: string; schema: JsonSchema }[];
  /** All arguments, path parameters included. */
  requestBody?: Content;
  responses: Record<string, Content>;
}

type Components = Readonly<Record<string, JsonSchema>>;

/** The surroundings that the description of an operation needs. */
interface Around {
  /** The configured settings of the inputs. */
  readonly settings: OperationSettings;
  /** The components of the object types, by name. */
  readonly components: Components;
  /** The tag that lists the operation. */
  readonly tag: string | undefined;
}

/**
 * Describes an operation in OpenAPI 3.1.
 * @param route the route of the REST schema, so its field has REST names
 * @param sofa Sofa's description of the operation
 */
export function describeOperation(
  route: BoundRoute,
  sofa: SofaOperation,
  { settings, components, tag }: Around,
) {
  const { field } = route;
  const rules = inputRules(route, settings);
  return {
    operationId: field.name,
    ...(tag !== undefined && { tags: [tag] }),
    summary: factsOf(field).summary,
    description: namesInRest(field.description ?? ''),
    ...describeParameters(route, sofa, rules),
    ...describeBody(route, sofa, rules),
    responses: { ...describeSuccess(route, sofa, components), ...errorsOf(route) },
    security: alternativesOf(field).flatMap((each) => [
      { OAuth2: each },
      { BearerToken: each },
      // Only people who are operators have a trail of their own.
      ...(each.every(isScopeOverOthers) && !(isForOwner(field) && each === operator)
        ? [{ ServerSecret: each }]
        : []),
    ]),
  };
}

const argumentsIn = ({ inputs }: BoundRoute, place: Input['in']) =>
  inputs.filter((input) => input.in === place).map(({ argument }) => argument);

const describeParameters = (route: BoundRoute, { parameters = [] }: SofaOperation, rules: InputRules) => {
  const given = [...argumentsIn(route, 'path'), ...argumentsIn(route, 'query')].map((argument) => {
    const parameter = parameters.find(({ name }) => name === argument.name);
    return {
      ...parameter,
      schema: withoutDescription(rules.of(argument, parameter?.schema)),
      description: argument.description,
      example: inRestNames(argument.type, factsOf(argument).example),
    };
  });
  const key = route.takesKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  const account = isForOwner(route.field)
    ? ['KeywardAccount', 'KeywardOrganization'].map((name) => ({ $ref: `#/components/parameters/${name}` }))
    : [];
  const described = [...given, ...describeConditions(route), ...account, ...key];
  return described.length > 0 && { parameters: described };
};

// The parameter itself has the description. Sofa writes the descriptions of all parameters of one scalar into one
// object, so the object keeps only the last.
const withoutDescription = ({ description: _last, ...schema }: JsonSchema): JsonSchema => schema;

/** The header fields `If-None-Match` (for a GET) or `If-Match` (for a change). */
const describeConditions = ({ method, resource }: BoundRoute) => {
  if (!resource || resource.isPage) return [];
  const [name, description] =
    method === 'GET'
      ? ['If-None-Match', 'The `ETag` of an earlier response. If nothing has changed, the response is 304.']
      : [
          'If-Match',
          'The `ETag` of the record as you read it. If it has changed since, nothing is done and the response is 412.',
        ];
  return [{ name, in: 'header', required: false, schema: { type: 'string' }, description }];
};

const describeBody = (route: BoundRoute, { requestBody }: SofaOperation, rules: InputRules) => {
  const members = argumentsIn(route, 'body');
  if (!requestBody || members.length === 0) return {};
  const { required: _all, ...object } = requestBody.content['application/json'].schema;
  const required = members
    .filter((member) => isRequiredArgument(member) || rules.isRequired(member))
    .map(({ name }) => name);
  const properties = members.map((member) => [
    member.name,
    { ...rules.of(member, object.properties?.[member.name]), description: member.description },
  ]);
  const body = {
    ...object,
    properties: { ...Object.fromEntries(properties), ...readOnly(route.record, route.inputs) },
    ...(required.length > 0 && { required }),
    ...(route.refusesUnknown && { additionalProperties: false }),
  };
  return {
    requestBody: {
      required: !route.optionalBody,
      content: { 'application/json': { schema: withNulls(body, members), example: exampleOf(members) } },
    },
  };
};

/**
 * The schema of the answer's record. The field's fact `neverNull` lists members that are never null in this
 * answer, though their types allow null.
 */
const describeRecord = (
  field: BoundRoute['field'],
  schema: JsonSchema,
  components: Components,
): JsonSchema => {
  const { properties = {} } = components[getNamedType(field.type).name] ?? {};
  const members = (factsOf(field).neverNull ?? []).map(snakeCase);
  if (members.length === 0) return schema;
  const types = members.map((name) => [name, { type: typeWithoutNull(properties[name]?.type) }]);
  return { allOf: [schema, { properties: Object.fromEntries(types) }] };
};

const typeWithoutNull = (types: JsonSchema['type'] = []) => [types].flat().find((type) => type !== 'null');

/** The other form of a list that can be answered whole: newline-delimited JSON. */
const lines = {
  'application/x-ndjson': {
    schema: {
      type: 'string',
      description:
        'All items of the list, as if there were no pages. Each line is the JSON of one item. The last line is an object with `cursor`, from which a later request continues. If that line is missing, the response was cut off.',
    },
  },
};

const describeSuccess = (
  { field, created, isPage, hasTag, takesKey, streams }: BoundRoute,
  { responses }: SofaOperation,
  components: Components,
) => {
  const [status = '200', success] = Object.entries(responses)[0] ?? [];
  const schema = describeRecord(field, success?.content['application/json'].schema ?? {}, components);
  const headers = {
    ...(hasTag && { ETag: header('Entity tag of this state (RFC 9110, section 8.8.3).') }),
    ...(created && { Location: header('Path of the created record.') }),
    ...(takesKey && {
      'Idempotent-Replayed': header(
        '`true` if this is the response of an earlier request with this `Idempotency-Key`.',
      ),
    }),
    ...(isPage && {
      Link: header('The next page, if there is one: `rel="next"` (RFC 8288).'),
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
        ...(streams && lines),
      },
    },
  };
};
