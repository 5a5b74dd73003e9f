type Security = readonly Readonly<Record<string, readonly string[]>>[];

interface Parameter {
  readonly name: string;
  readonly required?: boolean;
  example?: unknown;
}

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly writeOnly?: boolean }>>;
  readonly required?: readonly string[];
}

/** A body, by its media type. */
interface Content {
  readonly schema: Schema;
  example?: object;
  examples?: Readonly<Record<string, { readonly summary: string; readonly value: object }>>;
}

interface Operation {
  description?: string;
  parameters?: Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  security?: Security;
}

/** The parts of an OpenAPI document that are changed here. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    securitySchemes: { readonly ApiKeyHeader: { readonly name: string } };
    /** Parameters that several operations share. */
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** The field for an API key, on the operations that take one. */
const apiKeyIn = (name: string) => ({
  name,
  in: 'header',
  description: 'An API key.',
  schema: { type: 'string' },
});

/** Swagger UI fills in examples. Optional parameters stay empty for the person to fill in. */
function emptyOptional(parameters: readonly Parameter[] = []): void {
  for (const parameter of parameters) if (!parameter.required) delete parameter.example;
}

/**
 * Starts a body with only the required members, and with empty secrets: whoever sent the example of a private key would
 * register one that everybody knows. A second example has all members.
 */
function beginBody(content: Content): void {
  const { example, schema } = content;
  if (!example) return;
  const isNeeded = (name: string) => schema.required?.includes(name) ?? false;
  const begin = ([name, value]: [string, unknown]) => [
    name,
    schema.properties?.[name]?.writeOnly ? '' : value,
  ];
  const members = Object.entries(example);
  const value = Object.fromEntries(members.filter(([name]) => isNeeded(name)).map(begin));
  content.example = value;
  if (members.every(([name]) => isNeeded(name))) return;
  delete content.example;
  content.examples = {
    required: { summary: 'Required members', value },
    all: { summary: 'All members', value: Object.fromEntries(members.map(begin)) },
  };
}

/**
 * Removes the security schemes from the description, because the page has its own sign-in: Swagger UI would ask the
 * identity provider for its metadata. The text of each operation names its scopes. Optional values stay empty.
 */
export function prepareDescription(description: Description) {
  const apiKey = apiKeyIn(description.components.securitySchemes.ApiKeyHeader.name);
  for (const operation of Object.values(description.paths).flatMap((methods) => Object.values(methods))) {
    const schemes = Object.assign({}, ...(operation.security ?? [])) as Record<string, readonly string[]>;
    delete operation.security;
    emptyOptional(operation.parameters);
    for (const content of Object.values(operation.requestBody?.content ?? {})) beginBody(content);
    if (schemes['ApiKeyHeader']) operation.parameters = [...(operation.parameters ?? []), apiKey];
    if (!schemes['OAuth2']) continue;
    const scopes = schemes['OAuth2'].map((scope) => `\`${scope}\``).join(', ');
    operation.description = `${operation.description ?? ''}\n\nScopes: ${scopes}.`;
  }
  emptyOptional(Object.values(description.components.parameters ?? {}));
  const { securitySchemes: _, ...components } = description.components;
  return { ...description, components };
}
