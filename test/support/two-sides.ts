import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { expect } from 'vitest';
import type { Scope } from '../../src/auth/scopes.ts';
import { schema } from '../../src/gateway/schema.ts';
import { nodeTypeOf, restName, snakeCase } from '../../src/rest/rest-schema.ts';
import { routes } from '../../src/rest/routes.ts';
import type { Answer, TestGateway } from './gateway.ts';

/** An operation that has a route. */
export type OperationName = keyof typeof routes;

type RootField = GraphQLField<unknown, unknown>;

/** One call, spelled for both sides. */
export interface Step {
  readonly operation: OperationName;
  /** Members of the input: GraphQL's name → JSON text. */
  readonly input: Readonly<Record<string, string>>;
  /** Where a member of the input stands in REST's path: that text. */
  readonly pathText?: string;
  /** A path is text, variables are JSON: of a word in the place of a number the two cannot say the same words. */
  readonly comparesWords: boolean;
}

/** What came of a call, in GraphQL's names, whichever side answered. */
export interface SideOutcome {
  readonly code: string;
  readonly challenge: string | null;
  readonly data?: unknown;
  readonly message?: string;
  readonly issues?: readonly { path: string[]; message: string; type: string }[];
}

const rootFields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };

/** What REST has of an argument's names, and what it calls them. */
const argumentsOf = ({ args, type }: RootField) =>
  args.flatMap((argument) => {
    const restSpelling = restName(argument.name, type);
    return restSpelling === undefined ? [] : [{ ...argument, restName: restSpelling }];
  });

/** All that REST answers of a type: nothing for a scalar, and no field that only GraphQL has. */
function selectionOf(type: GraphQLOutputType): string {
  const node = nodeTypeOf(type);
  if (node) return `{ edges { node ${selectionOf(node)} } pageInfo { hasNextPage endCursor } }`;
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields())
    .filter(({ extensions }) => !extensions['notInRest'])
    .map((field) => `${field.name} ${selectionOf(field.type)}`);
  return `{ ${fields.join(' ')} }`;
}

const listOf = (items: readonly string[]): string => (items.length === 0 ? '' : `(${items.join(', ')})`);

/** A document that asks for all that the route of an operation answers, each argument a variable of its name. */
function documentOf(name: OperationName): string {
  const { type } = rootFieldOf(name);
  const args = argumentsOf(rootFieldOf(name));
  const variables = listOf(args.map((argument) => `$${argument.name}: ${argument.type}`));
  const values = listOf(args.map((argument) => `${argument.name}: $${argument.name}`));
  const kind = schema.getQueryType()?.getFields()[name] ? 'query' : 'mutation';
  return `${kind} ${variables} { ${name}${values} ${selectionOf(type)} }`;
}

function rootFieldOf(name: OperationName): RootField {
  const field = rootFields[name];
  if (!field) throw new Error(`${name} is no root field`);
  return field;
}

/** The operations that both sides have: those of every route. */
export const operations = Object.keys(routes) as OperationName[];

/** A document for each operation, with its arguments in the order in which the schema has them. */
export const queries: Readonly<Record<string, string>> = Object.fromEntries(
  operations.map((name) => [name, documentOf(name)]),
);

/** The first argument of an operation that stands in REST's path: `keyId` or `id`; undefined where none does. */
export const pathArgument = (operation: OperationName): string | undefined =>
  inputsOf(operation).find((input) => input.in === 'path')?.name;

/** What REST takes for an operation: each argument, and where it stands. */
export const inputsOf = (operation: OperationName) =>
  argumentsOf(rootFieldOf(operation)).map((argument) => ({
    ...argument,
    in: placeOf(operation, argument.restName),
  }));

/** A call by the published examples. */
export const exampleOf = (operation: OperationName): Step => {
  const input = Object.fromEntries(
    inputsOf(operation)
      .filter(({ name }) => name !== 'after')
      .map(({ name, extensions }) => [name, JSON.stringify(extensions['example'])]),
  );
  const pathText = input[pathArgument(operation) ?? ''];
  return { operation, input, comparesWords: true, ...(pathText !== undefined && { pathText }) };
};

/** The scopes that an operation needs. */
export const scopesOf = (operation: OperationName) =>
  rootFieldOf(operation).extensions['requiredScopes'] as readonly Scope[];

const codes: Record<number, string> = {
  200: 'OK',
  201: 'OK',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'BAD_USER_INPUT',
};

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const jsonObject = (members: Readonly<Record<string, string>>) =>
  `{${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;

const json = { 'content-type': 'application/json' };

/** Calls through GraphQL. */
export function callGraphql(gateway: TestGateway, { operation, input }: Step, token: string | undefined) {
  const query = JSON.stringify(queries[operation]);
  const body = jsonObject({ query, variables: jsonObject(input) });
  const headers = { ...json, accept: 'application/graphql-response+json' };
  return gateway.fetch('POST', '/graphql', { body, headers, ...(token !== undefined && { token }) });
}

/** A value in REST's names; what is no object, or has no such type, stays the text that it is. */
const toRestText = (type: GraphQLInputType, text: string): string => {
  if (isEnumType(getNamedType(type))) return text.toLowerCase();
  if (!isInputObjectType(getNamedType(type)) || !text.trim().startsWith('{')) return text;
  return JSON.stringify(toRestValue(type, JSON.parse(text)));
};

const toRestValue = (type: GraphQLInputType | undefined, value: unknown): unknown => {
  const named = getNamedType(type);
  if (isEnumType(named) && typeof value === 'string') return value.toLowerCase();
  if (!isInputObjectType(named) || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      snakeCase(name),
      toRestValue(named.getFields()[name]?.type, inner),
    ]),
  );
};

const toQueryText = (text: string): string => (text.startsWith('"') ? JSON.parse(text) : text);

/** Calls through REST; a member that the operation does not know goes into the body as it is. */
export function callRest(gateway: TestGateway, step: Step, token: string | undefined) {
  const { method, path } = routes[step.operation];
  const inputs = inputsOf(step.operation);
  const spelling = new Map(inputs.map((input) => [input.name, input]));
  const first = pathArgument(step.operation);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const { name = '' } = inputs.find(({ restName: spelled }) => spelled === parameter) ?? {};
    return encodeURIComponent(name === first ? (step.pathText ?? '') : toQueryText(step.input[name] ?? ''));
  });
  const members = Object.entries(step.input)
    .map(([name, text]) => {
      const input = spelling.get(name);
      return input
        ? ([input.restName, toRestText(input.type, text)] as const)
        : ([snakeCase(name), text] as const);
    })
    .filter(([name]) => !path.includes(`{${name}}`));
  const call = { ...(token !== undefined && { token }) };
  if (method !== 'GET' && method !== 'DELETE')
    return gateway.rest(method, filled, {
      ...call,
      body: jsonObject(Object.fromEntries(members)),
      headers: json,
    });
  const query = new URLSearchParams(members.map(([name, text]) => [name, toQueryText(text)]));
  return gateway.rest(method, query.size > 0 ? `${filled}?${query}` : filled, call);
}

interface Connection {
  readonly edges: readonly { readonly node: unknown }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const isRecord = (data: unknown): data is Record<string, unknown> =>
  typeof data === 'object' && data !== null;

const isConnection = (data: unknown): data is Connection => isRecord(data) && 'edges' in data;

/** The fields of a type, those of an inner object in its place where REST has them there. */
const restFieldsOf = (type: GraphQLObjectType): readonly RootField[] =>
  Object.values(type.getFields()).flatMap((field) =>
    field.extensions['flatInRest'] ? restFieldsOf(getNamedType(field.type) as GraphQLObjectType) : [field],
  );

/** GraphQL's answer with the members of an inner object in its place, where REST has them there. */
const flat = (type: GraphQLOutputType, data: unknown): unknown => {
  const named = getNamedType(type);
  const fields = isObjectType(named) ? Object.values(named.getFields()) : [];
  const inner = fields.find(({ extensions }) => extensions['flatInRest'])?.name;
  if (inner === undefined || !isRecord(data)) return data;
  const { [inner]: record, ...members } = data;
  return { ...(record as object), ...members };
};

/** What GraphQL's answer comes to; a page is its members and where the next one begins. */
export function graphqlOutcome({ body, headers }: Answer, { operation }: Step): SideOutcome {
  const challenge = headers.get('www-authenticate');
  if (body.errors) {
    const [{ message, extensions }] = body.errors;
    const { code, issues } = extensions;
    return { code, challenge, ...(issues ? { issues } : { message }) };
  }
  const data = flat(rootFieldOf(operation).type, body.data[operation]);
  if (!isConnection(data)) return { code: 'OK', challenge, data };
  const { hasNextPage, endCursor } = data.pageInfo;
  const nodes = data.edges.map(({ node }) => node);
  return { code: 'OK', challenge, data: { nodes, next: hasNextPage ? endCursor : null } };
}

/** An answer of REST's in GraphQL's names; the names within JSON are nobody's but the caller's. */
const inGraphqlNames = (type: GraphQLOutputType | undefined, value: unknown): unknown => {
  if (Array.isArray(value)) {
    const list = getNullableType(type);
    return value.map((item) =>
      inGraphqlNames(isListType(list) ? (list.ofType as GraphQLOutputType) : type, item),
    );
  }
  const named = getNamedType(type);
  if (isEnumType(named) && typeof value === 'string') return value.toUpperCase();
  if (!isObjectType(named) || !isRecord(value)) return value;
  const fields = restFieldsOf(named);
  const types = new Map(fields.map((field) => [field.name, field.type]));
  // What REST leaves out is null in GraphQL, or a value that the field names.
  const unset = fields.flatMap(({ name, extensions }) => {
    const { onlyIfSet, leftOutIf = onlyIfSet && null } = extensions;
    return leftOutIf === undefined ? [] : [[name, leftOutIf]];
  });
  const members = Object.entries(value).map(([name, inner]) => [
    camel(name),
    inGraphqlNames(types.get(camel(name)), inner),
  ]);
  return Object.fromEntries([...unset, ...members]);
};

const readData = ({ body, headers }: Answer, { operation }: Step): unknown => {
  const { type } = rootFieldOf(operation);
  const node = nodeTypeOf(type);
  if (!node) return inGraphqlNames(type, body);
  const link = /^<[^>]*[?&]cursor=([^&>]+)>; rel="next"$/.exec(headers.get('link') ?? '');
  return { nodes: inGraphqlNames(node, body), next: link?.[1] ?? null };
};

function placeOf(operation: OperationName, name: string): 'path' | 'query' | 'body' {
  const { method, path } = routes[operation];
  if (path.includes(`{${name}}`)) return 'path';
  return method === 'GET' || method === 'DELETE' ? 'query' : 'body';
}

/** What REST's answer comes to, in GraphQL's names. */
export function restOutcome(answer: Answer, step: Step): SideOutcome {
  const code = codes[answer.status] ?? `status ${answer.status}`;
  const challenge = answer.headers.get('www-authenticate');
  if (code === 'OK') return { code, challenge, data: readData(answer, step) };
  const { detail } = answer.body;
  const spelling = new Map(inputsOf(step.operation).map((input) => [input.restName, input.name]));
  if (typeof detail === 'string') return { code, challenge, message: detail };
  const issues = detail.map(({ loc, msg, type }: { loc: string[]; msg: string; type: string }) => {
    // No operation has an input in the header.
    if (loc[0] !== 'header') expect(loc[0]).toBe(placeOf(step.operation, `${loc[1]}`));
    return {
      path: loc.slice(1).map((name) => spelling.get(name) ?? camel(name)),
      message: type === 'enum' ? msg.replace(/(?<=: ).*/, (names) => names.toUpperCase()) : msg,
      type,
    };
  });
  return { code, challenge, issues };
}
