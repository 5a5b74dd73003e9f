import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
} from 'graphql';
import { paths } from '../../schema/openapi.json';
import text from '../../schema/schema.graphql?raw';
import { selectionOf } from './selection.ts';

/** The schema, as it is published. */
export const schema = buildSchema(text);

/** An operation, ready for a tab of GraphiQL. */
export interface Operation {
  /** The name of the root field. */
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  /** The scopes that a token needs. Each list is an alternative. */
  readonly scopes: readonly (readonly string[])[];
  readonly query: string;
  readonly variables: string;
}

type Examples = Readonly<Record<string, unknown>>;

/** An operation in the REST description; its `operationId` is the name of the root field. */
interface RestOperation {
  readonly operationId: string;
  readonly security?: readonly { readonly BearerToken?: readonly string[] }[];
  /** A header that several operations share is a reference without a name; it is not an argument. */
  readonly parameters?: readonly {
    readonly name?: string;
    readonly $ref?: string;
    readonly example?: unknown;
  }[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly example?: Examples;
        readonly schema: { readonly properties?: Readonly<Record<string, { readonly writeOnly?: boolean }>> };
      };
    };
  };
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The operations of the REST description, by root field. */
const restOperations = new Map(
  Object.values(paths)
    .flatMap((methods) => Object.values(methods) as RestOperation[])
    .map((operation) => [operation.operationId, operation]),
);

/**
 * The scopes of an operation. Those with which a server acts for an account are left out, because they need a header as
 * well: the type `Query` says so once.
 */
function scopesOf(fieldName: string): (readonly string[])[] {
  const { security = [] } = restOperations.get(fieldName) ?? {};
  return security.flatMap(({ BearerToken: scopes }) =>
    scopes && !(isOfAccount(fieldName) && scopes.includes('accounts.act')) ? [scopes] : [],
  );
}

/** Whether a root field is about what an account has: only such a request can be for an organisation. */
export const isOfAccount = (fieldName: string): boolean =>
  restOperations.get(fieldName)?.parameters?.some(({ $ref }) => $ref?.endsWith('/KeywardOrganization')) ??
  false;

/** Examples of an operation's arguments, from the REST description, with their GraphQL names. */
function examplesOf(fieldName: string): Examples {
  const operation = restOperations.get(fieldName);
  const parameters =
    operation?.parameters?.flatMap(({ name, example }) =>
      name === undefined ? [] : [[name, example] as const],
    ) ?? [];
  const { example: body = {}, schema: input } = operation?.requestBody?.content['application/json'] ?? {};
  // Everybody knows the example of a secret, so it is left empty.
  const members = Object.entries(body).map(
    ([name, example]) => [name, input?.properties?.[name]?.writeOnly ? '' : example] as const,
  );
  return Object.fromEntries([...parameters, ...members].map(([name, example]) => [camelCase(name), example]));
}

/** An example in the spelling of GraphQL: members of input objects in camelCase, enum values in capitals. */
function inGraphql(type: GraphQLInputType | undefined, example: unknown): unknown {
  const named = getNamedType(type);
  if (isEnumType(named)) return `${example}`.toUpperCase();
  if (!isInputObjectType(named)) return example;
  const members = Object.entries(example as Examples).map(([name, inner]) => {
    const spelled = camelCase(name);
    return [spelled, inGraphql(named.getFields()[spelled]?.type, inner)] as const;
  });
  return Object.fromEntries(members);
}

/** Whether a call needs the argument. A subject may be missing only if an organization is named in its place. */
const isNeeded = ({ name, type }: GraphQLArgument) => isNonNullType(type) || name === 'subject';

/** A list in parentheses, with one member per line if there are several. */
function inParentheses(members: readonly string[], indent: string): string {
  if (members.length < 2) return members.length === 0 ? '' : `(${members[0]})`;
  return `(\n${members.map((member) => `${indent}  ${member}\n`).join('')}${indent})`;
}

/** A description as comments, in lines that fit a narrow editor. */
const asComment = (description: string) =>
  (description.match(/.{1,46}(?=\s|$)\s*/g) ?? []).map((line) => `# ${line.trim()}\n`).join('');

/** The scopes of an operation in words: `openid, email, profile`. */
export const scopesText = ({ scopes }: Pick<Operation, 'scopes'>): string =>
  scopes.map((each) => each.join(', ')).join(', or ');

/** A root field with all its arguments as variables, and with all its fields selected. */
function describe(kind: 'query' | 'mutation', field: GraphQLField<unknown, unknown>): Operation {
  const { name, args, description } = field;
  const title = (name[0] ?? '').toUpperCase() + name.slice(1);
  const declared = args.map((argument) => `$${argument.name}: ${argument.type}`);
  const passed = args.map((argument) => `${argument.name}: $${argument.name}`);
  const examples = examplesOf(name);
  // Only needed arguments get an example. An optional one would narrow the result of a query, or make a mutation
  // change something unwanted: with the example addresses, nobody could use the key.
  const variables = args.filter((argument) => isNeeded(argument) && argument.name in examples);
  const scopes = scopesOf(name);
  return {
    ...{ name, kind, scopes },
    query: `${asComment(description ?? '')}${asComment(`Scopes: ${scopesText({ scopes })}`)}${kind} ${title}${inParentheses(declared, '')} {
  ${name}${inParentheses(passed, '  ')}${selectionOf(field.type, '  ')}
}
`,
    variables: JSON.stringify(
      Object.fromEntries(variables.map(({ name: each, type }) => [each, inGraphql(type, examples[each])])),
      null,
      2,
    ),
  };
}

/** The operations of operators, which exist only with `ADMIN=on`. */
const ofOperators = new Set(
  Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/admin/'))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }: RestOperation) => operationId)),
);

const fieldsOf = (type: ReturnType<typeof schema.getQueryType>) =>
  Object.values(type?.getFields() ?? {}).filter(
    ({ name, deprecationReason }) => !deprecationReason && !ofOperators.has(name),
  );

/** Every operation that is not deprecated and not only for operators, ready to run. */
export const operations: readonly Operation[] = [
  ...fieldsOf(schema.getQueryType()).map((field) => describe('query', field)),
  ...fieldsOf(schema.getMutationType()).map((field) => describe('mutation', field)),
];

const openedFirst = ['apiKeys', 'privateKeyStatus', 'automationSettings'];

/** The operations in the first tabs. After signing in, a person can run them unchanged. */
export const firstOperations = operations
  .filter(({ name }) => openedFirst.includes(name))
  .toSorted((one, other) => openedFirst.indexOf(one.name) - openedFirst.indexOf(other.name));
