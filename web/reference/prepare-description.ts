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

/** An OpenAPI document, as far as it is changed here. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    securitySchemes: { readonly ApiKeyHeader: { readonly name: string } };
    /** Those that several operations have. */
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** An API key is a field of the operation that takes it. */
const apiKeyIn = (name: string) => ({
  name,
  in: 'header',
  description: 'An API key.',
  schema: { type: 'string' },
});

/** Swagger UI fills examples in; what is optional is for the person to fill in. */
function emptyOptional(parameters: readonly Parameter[] = []): void {
  for (const parameter of parameters) if (!parameter.required) delete parameter.example;
}

/**
 * Begins a body with what is required alone, and a secret with nothing: who sends the example of a private key has
 * registered one that everybody knows. The example with all members is one choice away.
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
    required: { summary: 'What is required', value },
    all: { summary: 'All members', value: Object.fromEntries(members.map(begin)) },
  };
}

/**
 * Takes the security schemes out of the description, for the sign-in is the page's own: Swagger UI would ask the
 * identity provider for its metadata. What each operation needs is said in its words. What is optional is left empty.
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
