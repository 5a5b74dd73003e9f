import { type GraphQLArgument, getNamedType } from 'graphql';
import { z } from 'zod';
import type { OperationLimits } from '../operations/context.ts';
import type { Endpoint } from './endpoints.ts';
import { pageArguments } from './lists.ts';
import { snakeCase } from './names.ts';
import type { JsonSchema } from './openapi-components.ts';

/** Makes the schema of an operation's input: a field names it in its extension `input`. */
type InputSchema = (limits: OperationLimits) => z.ZodType;

/** What an operation's own schema says of its inputs, by REST's names. */
export interface InputRules {
  /** What it says of a value beside its type. */
  of(argument: GraphQLArgument): JsonSchema;
  /** Whether it must be given. */
  isRequired(argument: GraphQLArgument): boolean;
}

/** The keywords that are told; types, and whether null will do, the GraphQL schema says. */
const keywords = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'writeOnly'] as const;

const pick = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(keywords.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : [])));

/** The schema of a value that is not null. */
const withoutNull = (schema: JsonSchema): JsonSchema => {
  const others = schema['anyOf'] as JsonSchema[] | undefined;
  return others?.find(({ type }) => type !== 'null') ?? schema;
};

/** Reads the rules of an endpoint's inputs from its operation's schema; without one there are none. */
export function inputRules({ field, isPage }: Endpoint, limits: OperationLimits): InputRules {
  const input = field.extensions['input'] as InputSchema | undefined;
  const { properties = {}, required = [] } = (
    input ? z.toJSONSchema(input(limits), { io: 'input', unrepresentable: 'any' }) : {}
  ) as JsonSchema & { required?: string[] };
  const inRest = (name: string) => (isPage && pageArguments.get(name)) || snakeCase(name);
  const members = new Map(Object.entries(properties).map(([name, member]) => [inRest(name), member]));
  const requiredNames = new Set(required.map(inRest));
  return {
    of: ({ name, type }) => ({
      ...pick(withoutNull(members.get(name) ?? {})),
      ...(getNamedType(type).extensions['inputSchema'] as JsonSchema | undefined),
    }),
    isRequired: ({ name }) => requiredNames.has(name),
  };
}
