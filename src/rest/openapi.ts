import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import { scopesIn } from '../auth/required-scopes.ts';
import { type Scope, scopeDescriptions } from '../auth/scopes.ts';
import type { OperationSettings } from '../operations/context.ts';
import { idempotencyKeyPattern } from '../operations/idempotency-key.ts';
import { bindRoutes } from './bound-routes.ts';
import {
  errorResponses,
  errorSchemas,
  exampleOf,
  type JsonSchema,
  toComponents,
} from './openapi-components.ts';
import { describeOperation, type SofaOperation } from './openapi-operation.ts';
import { basePath, type Route } from './routes.ts';
import type { Sofa } from './sofa.ts';

/** The part of Sofa's OpenAPI document that this file uses. */
interface SofaDocument {
  components: { schemas: Record<string, JsonSchema> };
  paths: Record<string, Record<string, SofaOperation>>;
}

/** A component that has some members of a GraphQL type. */
export interface RecordPart {
  /** The name of the GraphQL type. */
  readonly of: string;
  /** The REST names of the members that the component leaves out. */
  readonly without: readonly string[];
  /** Members of another type that the component has as well, by their REST names; they replace those of `of`. */
  readonly beside: { readonly of: string; readonly members: readonly string[] };
  readonly description: string;
}

/** The paths outside the GraphQL schema, with their answers and security schemes; and the webhooks. */
export interface OtherPaths {
  readonly paths?: Readonly<Record<string, object>>;
  readonly records?: Readonly<Record<string, RecordPart>>;
  readonly securitySchemes?: Readonly<Record<string, object>>;
  readonly schemas?: Readonly<Record<string, object>>;
  readonly parameters?: Readonly<Record<string, object>>;
  /** The webhooks, by name. */
  readonly webhooks?: Readonly<Record<string, object>>;
}

const info = {
  title: 'Keyward',
  version: '1.0.0',
  summary: 'API keys, a private key and settings of signed-in people.',
  description:
    'API keys, a private key and automation settings. The same operations are available as GraphQL at `/graphql`.\n\n' +
    'Version 1 only grows: ignore members that you do not know. ' +
    'Lists refuse unknown query parameters.',
  license: { name: 'MIT', identifier: 'MIT' },
};

interface Tag {
  readonly name: string;
  readonly description: string;
  /** Matches the paths that the tag stands for. */
  readonly path: RegExp;
  /** The only method that it stands for there; undefined: all. */
  readonly method?: Route['method'];
}

/** The tags that list the operations. */
const tags: readonly Tag[] = [
  { name: 'API keys', description: 'Your credentials at the API provider.', path: /^\/auth\/keys/ },
  {
    name: 'Verification',
    description: "For the provider's servers and proxies: may this request pass?",
    path: /^\/keys\//,
  },
  {
    name: 'Private key',
    description: 'Your private key, stored encrypted.',
    path: /^\/auth\/private-key/,
  },
  { name: 'Automation', description: 'Your automation settings.', path: /^\/automation\// },
  { name: 'Audit events', description: 'What was changed, by whom, and when.', path: /^\/audit-events/ },
  {
    name: 'Accounts',
    description: 'For whom you can call: yourself, and your organizations.',
    path: /^\/auth\/accounts$/,
  },
  {
    name: 'Entitlements',
    description: 'What the provider grants an account.',
    path: /\/entitlements?$/,
  },
  {
    name: 'Customers',
    description: "For the provider's servers that act for customers.",
    path: /^\/admin\/accounts$/,
    method: 'PUT',
  },
  {
    name: 'Operators',
    description: 'For those who run this service. Available with `ADMIN=on`.',
    path: /^\/admin\//,
  },
];

/** The tag that lists the webhooks. */
const webhooksTag = {
  name: 'Webhooks',
  description: 'The events that Keyward sends to webhook endpoints.',
};

const tagOf = (route: Route): string | undefined =>
  tags.find(({ path, method = route.method }) => path.test(route.path) && method === route.method)?.name;

const securitySchemes = (discoveryUrl: string, scopes: readonly Scope[]) => ({
  OAuth2: {
    type: 'openIdConnect',
    description:
      'OAuth 2.0 through the identity provider. Scopes: ' +
      scopes.map((scope) => `\`${scope}\`: ${scopeDescriptions[scope]}`).join(' '),
    openIdConnectUrl: discoveryUrl,
  },
  BearerToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token from the identity provider, or the secret of a server (RFC 6750).',
  },
  ServerSecret: {
    type: 'http',
    scheme: 'basic',
    description: 'The name and the secret of a server in `SERVER_CREDENTIALS` (RFC 7617).',
  },
});

const parameters = {
  KeywardAccount: {
    name: 'Keyward-Account',
    in: 'header',
    required: false,
    description:
      "Id of the account that a provider's server acts for, in place of the caller's own. Needs the scope `accounts.act`, and no other. A member of an organization may name its account in the same way, with the operation's own scopes. If the caller may not act for that account, or there is none: 404.",
    schema: { type: 'integer', format: 'int32' },
    example: 1,
  },
  KeywardOrganization: {
    name: 'Keyward-Organization',
    in: 'header',
    required: false,
    description:
      "Id of the organization that the request is for, in place of the caller, as in the access token. If the token does not name it: 404. If the caller's role in it does not allow the operation: 403. Not together with `Keyward-Account`.",
    schema: { type: 'string', maxLength: 255, pattern: '^[!-~](?:[ -~]*[!-~])?$' },
    example: 'acme',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a retry safe: for 24 hours, the same request with the same key runs once and gets the same response, including a new secret. Choose a value that nobody can guess, such as a UUID: 1–255 visible ASCII characters, bare or quoted (draft-ietf-httpapi-idempotency-key-header). If the key was used for another request: 422; while the first request runs: 409. Errors are not stored.',
    schema: { type: 'string', pattern: idempotencyKeyPattern },
    example: '6f2d6e0c-6d0e-4c43-9a0a-0d6b6c9a1a55',
  },
};

/** The parts of the OpenAPI document beside the operations. */
export interface Described {
  /** The issuer identifier of the identity provider. */
  readonly issuer: string;
  /** The configured settings of the inputs. */
  readonly settings: OperationSettings;
  /** The path of the service's URL, without a slash at its end; empty at the root of a host. */
  readonly publicPath?: string;
  /** The other paths, already in OpenAPI. */
  readonly other?: OtherPaths | undefined;
}

/** The OpenAPI 3.1 document of the REST side: Sofa's document, with all that Sofa leaves out. */
export function createOpenApi(
  { restSchema, document, table }: Pick<Sofa, 'restSchema' | 'document' | 'table'>,
  { issuer, settings, publicPath = '', other = {} }: Described,
) {
  const sofa = document as SofaDocument;
  const components = toComponents(restSchema, sofa.components.schemas);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries(bindRoutes(restSchema, table))) {
    const method = route.method.toLowerCase();
    const operation = sofa.paths[route.path]?.[method];
    if (!operation) throw new Error(`Sofa does not describe the route of ${name}`);
    const path = basePath + route.path;
    paths[path] = {
      ...paths[path],
      [method]: describeOperation(route, operation, { settings, components, tag: tagOf(route) }),
    };
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: publicPath || '/', description: 'This server.' }],
    tags: [
      ...tags.filter(({ name }) => Object.values(table).some((route) => tagOf(route) === name)),
      ...(other.webhooks ? [webhooksTag] : []),
    ].map(({ name, description }) => ({ name, description })),
    paths: { ...paths, ...other.paths },
    webhooks: other.webhooks ?? {},
    components: {
      schemas: {
        ...components,
        ...partsOf(restSchema, components, other.records),
        ...errorSchemas,
        ...other.schemas,
      },
      parameters: { ...parameters, ...other.parameters },
      responses: errorResponses,
      securitySchemes: {
        ...securitySchemes(
          `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
          scopesIn(restSchema),
        ),
        ...other.securitySchemes,
      },
    },
  };
}

function partsOf(
  restSchema: GraphQLSchema,
  components: Readonly<Record<string, JsonSchema>>,
  records: Readonly<Record<string, RecordPart>> = {},
) {
  const exampleIn = (type: string) => exampleOf(restSchema.getType(type) as GraphQLObjectType) as object;
  return Object.fromEntries(
    Object.entries(records).map(([name, { of, without, beside, description }]) => {
      const { properties = {}, ...schema } = components[of] ?? {};
      const pick = (ofRecord: object, ofOther: object) => ({
        ...Object.fromEntries(Object.entries(ofRecord).filter(([member]) => !without.includes(member))),
        ...Object.fromEntries(Object.entries(ofOther).filter(([member]) => beside.members.includes(member))),
      });
      const kept = pick(properties, components[beside.of]?.properties ?? {});
      const example = pick(exampleIn(of), exampleIn(beside.of));
      return [
        name,
        { ...schema, properties: kept, required: Object.keys(kept), description, examples: [example] },
      ];
    }),
  );
}
