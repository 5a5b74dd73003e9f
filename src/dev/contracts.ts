import { readFileSync } from 'node:fs';
import { type GraphQLField, lexicographicSortSchema, printSchema } from 'graphql';
import { loadConfig } from '../config/load-config.ts';
import { authorizePath } from '../door/authorize/problem.ts';
import { otherOpenApi } from '../gateway/other-openapi.ts';
import { schema } from '../gateway/schema.ts';
import { factsOf } from '../graphql/field-facts.ts';
import { type BoundRoute, bindRoutes } from '../rest/bound-routes.ts';
import { createOpenApi } from '../rest/openapi.ts';
import { basePath, routes } from '../rest/routes.ts';
import { createSofa } from '../rest/sofa.ts';
import { fillPage, tableHead, tableRow } from './filled-page.ts';
import { toOpenApi30 } from './openapi-3.0.ts';

const sofa = createSofa(schema, routes);

/** The GraphQL contract: sorted SDL. */
export const sdlText = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;

const other = otherOpenApi(undefined, true);

/** The REST contract, as a server with the development identity provider describes itself. */
const openApi = () =>
  createOpenApi(sofa, { issuer: 'http://127.0.0.1:4000/idp', settings: loadConfig({}), other });

const jsonText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;

/** The signature of a root field: `rotateApiKey(keyId: Int!, graceSeconds: Int)`. */
const signatureOf = ({ name, args }: GraphQLField<unknown, unknown>): string =>
  args.length === 0
    ? name
    : `${name}(${args.map((argument) => `${argument.name}: ${argument.type}`).join(', ')})`;

/** The REST call of a route: `GET /api/v1/auth/keys?limit&cursor`. */
const callOf = ({ method, path, inputs }: BoundRoute): string => {
  const query = inputs.filter((input) => input.in === 'query').map(({ name }) => name);
  return `${method} ${basePath}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
};

/** A Markdown table of operations: what each operation does, and its call in GraphQL and in REST. */
function operationsTable(isListed: (route: BoundRoute) => boolean): string {
  const inRest = bindRoutes(sofa.restSchema, routes);
  const listed = Object.entries(bindRoutes(schema, routes)).filter(([, route]) => isListed(route));
  const operations = listed.map(([name, { field }]) => {
    const type = schema.getQueryType()?.getFields()[name] ? 'query' : 'mutation';
    const call = callOf(inRest[name] as BoundRoute);
    return [factsOf(field).summary ?? '', `${type} \`${signatureOf(field)}\``, `\`${call}\``];
  });
  return [tableHead(['What it does', 'GraphQL', 'REST']), ...operations.map(tableRow)].join('\n');
}

const otherRows = Object.entries(other.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { summary }]) =>
    tableRow([
      summary,
      '',
      path === authorizePath ? `\`${path}\`, any method` : `\`${method.toUpperCase()} ${path}\``,
    ]),
  ),
);

const isForOperators = ({ path }: BoundRoute): boolean => path.startsWith('/admin/');

const publicTable = (): string =>
  [operationsTable((route) => !isForOperators(route)), ...otherRows].join('\n');

const filled = (path: string, text: string) =>
  [path, fillPage(readFileSync(path, 'utf8'), 'npm run schema', text)] as const;

/**
 * The published files that derive from the schema, with their current texts.
 * @returns pairs of a path (from the project's folder) and a text
 */
export const contracts = (): readonly (readonly [path: string, text: string])[] => [
  ['schema/schema.graphql', sdlText()],
  ['schema/openapi.json', jsonText(openApi())],
  ['schema/openapi-3.0.json', jsonText(toOpenApi30(openApi()))],
  filled('docs/operations.md', publicTable()),
  filled('docs/operators.md', operationsTable(isForOperators)),
];
