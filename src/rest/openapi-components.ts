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
import { inRestNames, snakeCase } from './names.ts';

/** A JSON Schema as Sofa writes it: OpenAPI 3.0, where nothing can be null. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  [keyword: string]: unknown;
}

type Described = Pick<GraphQLField<unknown, unknown> | GraphQLArgument, 'name' | 'type'>;

// Descriptions name other fields as GraphQL does.
const namesInRest = (text: string) => text.replace(/`(\w+)`/g, (_, name: string) => `\`${snakeCase(name)}\``);

const describe = (schema: JsonSchema): JsonSchema =>
  schema.description === undefined ? schema : { ...schema, description: namesInRest(schema.description) };

/** The schema of what may be null as well. */
export const orNull = (schema: JsonSchema): JsonSchema => {
  // Any JSON may be null.
  if (!('type' in schema || '$ref' in schema)) return schema;
  return typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
};

/** The schema of an object, in which each member may be null that GraphQL lets be null. */
export function withNulls(schema: JsonSchema, members: readonly Described[]): JsonSchema {
  const nullable = new Set(members.filter(({ type }) => !isNonNullType(type)).map(({ name }) => name));
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const described = describe(property);
    return [name, nullable.has(name) ? orNull(described) : described] as const;
  });
  return { ...describe(schema), properties: Object.fromEntries(properties) };
}

/** The object types of the schema as OpenAPI 3.1 components; every member is always there. */
export function toComponents(
  schema: GraphQLSchema,
  sofaSchemas: Readonly<Record<string, JsonSchema>>,
): Record<string, JsonSchema> {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const components = Object.entries(sofaSchemas).flatMap(([name, sofaSchema]) => {
    const type = schema.getType(name);
    if (!isObjectType(type) || roots.includes(type)) return [];
    const members = Object.values(type.getFields());
    return [
      [name, { ...withNulls(sofaSchema, members), required: members.map((member) => member.name) }] as const,
    ];
  });
  return Object.fromEntries(components);
}

/** An example, put together from those that fields and arguments carry in their extension `example`. */
export function exampleOf(of: GraphQLOutputType | readonly GraphQLArgument[]): unknown {
  if (Array.isArray(of))
    return Object.fromEntries(
      of.map(({ name, type, extensions }) => [name, inRestNames(type, extensions['example'])]),
    );
  const type = getNullableType(of as GraphQLOutputType);
  if (isListType(type)) return [exampleOf(type.ofType)];
  if (!isObjectType(type)) return undefined;
  return Object.fromEntries(
    Object.values(type.getFields()).map(({ name, extensions, type: member }) => [
      name,
      extensions['example'] === undefined ? exampleOf(member) : inRestNames(member, extensions['example']),
    ]),
  );
}

/**
 * An example of what a root field answers: that of its type, but for the members that the field's own extension
 * `example` names, as GraphQL spells them. Of a field whose answer has no members, the extension is the example.
 */
export function exampleAnswerOf({ type, extensions }: GraphQLField<unknown, unknown>): unknown {
  const own = extensions['example'];
  if (typeof own !== 'object' || own === null) return own ?? exampleOf(type);
  const record = getNullableType(type);
  const fields = isObjectType(record) ? record.getFields() : {};
  const members = Object.entries(own).map(([name, value]) => {
    const spelled = snakeCase(name);
    return [spelled, inRestNames(fields[spelled]?.type, value)];
  });
  return { ...(exampleOf(type) as object), ...Object.fromEntries(members) };
}
