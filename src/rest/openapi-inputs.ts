import {
  type GraphQLArgument,
  type GraphQLInputObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql';
import { z } from 'zod';
import type { OperationLimits } from '../operations/context.ts';
import { type Endpoint, innerRecord, readOnlyNames } from './endpoints.ts';
import { pageArguments } from './lists.ts';
import { snakeCase } from './names.ts';
import type { JsonSchema } from './openapi-components.ts';

/** Makes the schema of an operation's input: a field names it in its extension `input`. */
type InputSchema = (limits: OperationLimits) => z.ZodType;

/** What an operation's own schema says of its inputs, by REST's names. */
export interface InputRules {
  /**
   * The schema of a value.
   * @param described what is said of it already
   */
  of(argument: GraphQLArgument, described?: JsonSchema): JsonSchema;
  /** Whether it must be given. */
  isRequired(argument: GraphQLArgument): boolean;
}

/** The keywords that are told; types, and whether null will do, the GraphQL schema says. */
const keywords = [
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'pattern'],
  ...['maxProperties', 'writeOnly'],
] as const;

const pick = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(keywords.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : [])));

/** The schema of a value that is not null. */
const withoutNull = (schema: JsonSchema): JsonSchema => {
  const others = schema['anyOf'] as JsonSchema[] | undefined;
  return others?.find(({ type }) => type !== 'null') ?? schema;
};

/** The schema of an object: its members by the operation's own schema, in REST's names. */
const describeObject = (
  type: GraphQLInputObjectType,
  schema: JsonSchema,
  record: Endpoint['record'],
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

/** What of a record is passed over where it is sent back. */
export const readOnly = (
  record: Endpoint['record'],
  members: readonly { readonly name: string }[],
): Record<string, JsonSchema> =>
  Object.fromEntries(
    readOnlyNames(record, members).map((name) => [
      name,
      { readOnly: true, description: 'Of the record: passed over.' },
    ]),
  );

/** Reads the rules of an endpoint's inputs from its operation's schema; without one there are none. */
export function inputRules({ field, isPage, record }: Endpoint, limits: OperationLimits): InputRules {
  const input = field.extensions['input'] as InputSchema | undefined;
  const { properties = {}, required = [] } = (
    input ? z.toJSONSchema(input(limits), { io: 'input', unrepresentable: 'any' }) : {}
  ) as JsonSchema & { required?: string[] };
  const inRest = (name: string) => (isPage && pageArguments.get(name)) || snakeCase(name);
  const members = new Map(Object.entries(properties).map(([name, member]) => [inRest(name), member]));
  const requiredNames = new Set(required.map(inRest));
  return {
    of: ({ name, type }, described = {}) => {
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
    isRequired: ({ name }) => requiredNames.has(name),
  };
}
