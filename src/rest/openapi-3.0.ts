/** The parts of a running service's OpenAPI 3.1 document that depend on its configuration. */
interface Described {
  readonly servers: readonly object[];
  readonly tags: readonly object[];
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
}

/** The operations of a path, by method. */
type Methods = Readonly<Record<string, { readonly security?: unknown }>>;

/** The operations of a path in OpenAPI 3.0, each with the security requirements of the running service. */
const operationsOf = (methods: object, converted: object = {}): object =>
  Object.fromEntries(
    Object.entries(methods as Methods).map(([method, { security }]) => [
      method,
      { ...(converted as Methods)[method], ...(security !== undefined && { security }) },
    ]),
  );

/**
 * Makes the OpenAPI 3.0 document of a running service, for generators that read nothing newer. The document was
 * converted when the contract was written (`npm run schema`). The operations, schemas and security schemes are those
 * that the service has; the bounds of inputs are the defaults.
 * @param described the service's OpenAPI 3.1 document
 */
export async function createOpenApi30({ servers, tags, paths, components }: Described): Promise<object> {
  const { default: file } = await import('../../schema/openapi-3.0.json', { with: { type: 'json' } });
  const converted: Described = file;
  const schemas = Object.entries(converted.components.schemas).filter(([name]) =>
    Object.hasOwn(components.schemas, name),
  );
  return {
    ...converted,
    servers,
    tags,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [path, operationsOf(methods, converted.paths[path])]),
    ),
    components: {
      ...converted.components,
      schemas: Object.fromEntries(schemas),
      securitySchemes: components.securitySchemes,
    },
  };
}
