import { convertSync } from '@openapi-contrib/json-schema-to-openapi-schema';

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI 3.1 document, as far as it is converted here. */
interface Document extends Json {
  readonly info: Json & { readonly license: { readonly name: string } };
  readonly components: Json & { readonly schemas: Readonly<Record<string, object>> };
  readonly webhooks: object;
}

/** Maps the members of an object. */
const mapMembers = (object: object, map: (value: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));

/** Maps the items of a list or the members of an object; anything else stays. */
function mapInside(value: unknown, map: (inner: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => map(item, ''));
  return typeof value === 'object' && value !== null ? mapMembers(value, map) : value;
}

/** The members whose values are data, and no part of the description. */
const isData = (name: string): boolean => /^(default|enum|examples?)$/.test(name);

/**
 * Moves each reference that has members beside it into an `allOf`: OpenAPI 3.0 ignores what is beside a reference.
 * There `nullable` needs a type as well.
 * @param typeOf returns the type of the referenced schema
 */
function setReferencesApart(schema: unknown, typeOf: (reference: string) => unknown): unknown {
  const parts = mapInside(schema, (inner, name) =>
    isData(name) ? inner : setReferencesApart(inner, typeOf),
  );
  if (typeof parts !== 'object' || parts === null || Array.isArray(parts)) return parts;
  const { anyOf, ...others } = parts as { readonly anyOf?: readonly object[] };
  // What is left of a schema or null.
  if (anyOf?.length === 1) return setReferencesApart({ ...others, ...anyOf[0] }, typeOf);
  const { $ref, ...beside } = parts as { readonly $ref?: string; readonly nullable?: boolean };
  if ($ref === undefined || Object.keys(beside).length === 0) return parts;
  return { ...(beside.nullable && { type: typeOf($ref) }), ...beside, allOf: [{ $ref }] };
}

/**
 * Converts an OpenAPI 3.1 document to OpenAPI 3.0, for generators that read nothing newer. Webhooks, which 3.0 does not
 * have, become `x-webhooks`.
 */
export function toOpenApi30({ info, components, webhooks, ...document }: Document): Json {
  const { schemas } = components;
  const typeOf = (reference: string) =>
    (schemas[reference.split('/').at(-1) ?? ''] as { readonly type?: unknown } | undefined)?.type;
  const toSchema = (schema: unknown) =>
    setReferencesApart(convertSync(schema as object, { cloneSchema: true }), typeOf);
  const convert = (value: unknown, name = ''): unknown => {
    if (name === 'schema') return toSchema(value);
    return isData(name) ? value : mapInside(value, convert);
  };
  const { summary: _, ...described } = info;
  const license = { name: info.license.name, url: 'https://opensource.org/license/mit' };
  const { schemas: __, ...others } = components;
  return {
    ...document,
    openapi: '3.0.3',
    info: { ...described, license },
    paths: convert(document['paths']),
    components: { ...mapMembers(others, convert), schemas: mapMembers(schemas, toSchema) },
    'x-webhooks': convert(webhooks),
  };
}
