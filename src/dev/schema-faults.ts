import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { factsOf } from '../graphql/field-facts.ts';
import type { Routes } from '../rest/routes.ts';

type Field = GraphQLField<unknown, unknown>;
type Described = readonly [place: string, description: string | null | undefined];

const argumentsOf = (place: string, args: readonly GraphQLArgument[]): Described[] =>
  args.map(({ name, description }) => [`${place}(${name})`, description]);

const membersOf = (type: GraphQLNamedType): Described[] => {
  if (isEnumType(type)) return type.getValues().map((value) => [`${type}.${value.name}`, value.description]);
  if (!isObjectType(type) && !isInputObjectType(type)) return [];
  const fields = Object.values(type.getFields()) as Partial<Field>[];
  return fields.flatMap(({ name, description, args = [] }) => [
    [`${type}.${name}`, description] as const,
    ...argumentsOf(`${type}.${name}`, args),
  ]);
};

const isOwn = (type: GraphQLNamedType): boolean =>
  !isIntrospectionType(type) && !(isScalarType(type) && isSpecifiedScalarType(type));

/** Every place of the schema that needs a description, with its description. */
const describedPlaces = (schema: GraphQLSchema): Described[] =>
  Object.values(schema.getTypeMap())
    .filter(isOwn)
    .flatMap((type) => [[type.name, type.description] as const, ...membersOf(type)]);

const isSentence = (text: string | null | undefined): boolean => /^[A-Z].*\.$/s.test(text ?? '');

/** The file name of an operation: `apiKeyCount` → `api-key-count`. */
const fileName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const hasExample = (field: Pick<Field, 'extensions'>): boolean => factsOf(field).example !== undefined;

/** What is missing from an operation besides its field: route, source file, test, examples. */
function operationFaults(field: Field, table: Routes, files: readonly string[]): string[] {
  const { name, type, args } = field;
  const file = fileName(name);
  const test = `test/integration/${file}.test.ts`;
  const isSource = (path: string) => path.startsWith('src/') && path.endsWith(`/${file}.ts`);
  // The paging arguments of all lists share one description.
  const ownArguments = args.filter(
    (argument) => !['first', 'after', 'last', 'before'].includes(argument.name),
  );
  const faults: readonly (readonly [isFaulty: boolean, fault: string])[] = [
    [!table[name], 'has no route: add a line to src/rest/routes.ts'],
    [!files.some(isSource), `has no operation: add src/<subject>/${file}.ts`],
    [!files.includes(test), `has no test: add ${test}`],
    [
      !isObjectType(getNamedType(type)) && !hasExample(field),
      'returns no object type, so the field needs an example: `example: …`',
    ],
    ...ownArguments.map(
      (argument) => [!hasExample(argument), `needs an example of ${argument.name}: \`example: …\``] as const,
    ),
  ];
  return faults.filter(([isFaulty]) => isFaulty).map(([, fault]) => `${name} ${fault}`);
}

/**
 * Lists what is missing from the operations and where it belongs, one sentence for each fault.
 * `apiKeyCount has no route: add a line to src/rest/routes.ts`
 * @param files the paths of all sources and tests, from the project's folder
 */
export function schemaFaults(schema: GraphQLSchema, table: Routes, files: readonly string[]): string[] {
  const types = [schema.getQueryType(), schema.getMutationType()];
  const fields = types.flatMap((type) => Object.values(type?.getFields() ?? {}));
  const names = fields.map(({ name }) => name);
  const places = Object.values(table).map(({ method, path }) => `${method} ${path}`);
  return [
    ...describedPlaces(schema)
      .filter(([, description]) => !isSentence(description))
      .map(([place]) => `${place} needs a description in whole sentences`),
    ...fields.flatMap((field) => operationFaults(field, table, files)),
    ...Object.keys(table)
      .filter((name) => !names.includes(name))
      .map((name) => `the route of ${name} in src/rest/routes.ts has no root field`),
    ...places
      .filter((place, index) => places.indexOf(place) !== index)
      .map((place) => `${place} has two routes in src/rest/routes.ts`),
  ];
}
