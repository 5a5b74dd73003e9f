import type { GraphQLField, GraphQLSchema } from 'graphql';
import { scopeDescriptions } from '../auth/scopes.ts';
import { requiredScopesOf } from '../auth/use-required-scopes.ts';
import { exampleOf, type JsonSchema, toComponents, withNulls } from './openapi-components.ts';
import { errorResponses, errorSchemas, errorsOf } from './openapi-errors.ts';
import { basePath, routes } from './routes.ts';

/** The part of Sofa's document that is built on. */
interface SofaDocument {
  components: { schemas: Record<string, JsonSchema> };
  paths: Record<string, Record<string, SofaOperation>>;
}

interface SofaOperation {
  description?: string;
  parameters?: { in: string; name: string }[];
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } };
  responses: Record<string, { content: { 'application/json': { schema: JsonSchema } } }>;
}

const info = {
  title: 'Keyward',
  version: '1.0.0',
  summary: 'What a signed-in person owns at an API provider.',
  description:
    'API keys, a private key and automation settings. The same operations are available as GraphQL at `/graphql`.\n\n' +
    'Within v1 changes only add: clients should ignore members that they do not know.',
  license: { name: 'MIT', identifier: 'MIT' },
};

const securitySchemes = (discoveryUrl: string) => ({
  OAuth2: {
    type: 'openIdConnect',
    description:
      'OAuth 2.0 through the identity provider. Scopes: ' +
      Object.entries(scopeDescriptions)
        .map(([scope, description]) => `\`${scope}\`: ${description}`)
        .join(' '),
    openIdConnectUrl: discoveryUrl,
  },
  BearerToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token from the identity provider, as it is (RFC 6750).',
  },
});

/**
 * The description of the REST side (OpenAPI 3.1): Sofa's, completed by what it does not say.
 * @param schema the schema that Sofa was given, as REST spells it
 * @param sofaDocument what Sofa says of it
 * @param issuer the identity provider
 */
export function createOpenApi(schema: GraphQLSchema, sofaDocument: unknown, issuer: string) {
  const sofa = sofaDocument as SofaDocument;
  const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, { method, path }] of Object.entries(routes)) {
    const operation = sofa.paths[path]?.[method.toLowerCase()];
    const field = fields[name];
    if (!operation || !field) throw new Error(`the route of ${name} leads to no root field`);
    paths[basePath + path] = {
      ...paths[basePath + path],
      [method.toLowerCase()]: complete(field, operation),
    };
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/', description: 'This server.' }],
    tags: [],
    paths,
    components: {
      schemas: { ...toComponents(schema, sofa.components.schemas), ...errorSchemas },
      responses: errorResponses,
      securitySchemes: securitySchemes(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`),
    },
  };
}

const sentences = (text: string) => text.split(/(?<=\.) /);

function complete(field: GraphQLField<unknown, unknown>, sofa: SofaOperation) {
  const scopes = requiredScopesOf(field);
  const parameters = sofa.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
  const schema = sofa.requestBody?.content['application/json'].schema;
  const inBody = field.args.filter(({ name }) => !parameters.some((parameter) => parameter.name === name));
  const [status = '200', success] = Object.entries(sofa.responses)[0] ?? [];
  return {
    operationId: field.name,
    summary: sentences(field.description ?? '')[0],
    description: field.description,
    ...(parameters.length > 0 && {
      parameters: parameters.map((parameter) => withExample(parameter, field)),
    }),
    ...(schema && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: withNulls(schema, inBody), example: exampleOf(inBody) } },
      },
    }),
    responses: {
      [status]: {
        description: 'Done.',
        content: {
          'application/json': { ...success?.content['application/json'], example: exampleOf(field.type) },
        },
      },
      ...errorsOf({
        hasBody: schema !== undefined,
        hasInput: field.args.length > 0,
        hasPath: parameters.length > 0,
      }),
    },
    security: [{ OAuth2: scopes }, { BearerToken: scopes }],
  };
}

const withExample = <Parameter extends { name: string }>(
  parameter: Parameter,
  field: GraphQLField<unknown, unknown>,
) => ({
  ...parameter,
  description: field.args.find(({ name }) => name === parameter.name)?.description,
  example: field.args.find(({ name }) => name === parameter.name)?.extensions['example'],
});
