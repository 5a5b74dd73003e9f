import { readFileSync } from 'node:fs';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Described {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> }>>>
  >;
}

const name = 'openapi.json';
const text = readFileSync(new URL('../../schema/openapi.json', import.meta.url), 'utf8');
const document = JSON.parse(text) as Document;

/** Objects have the documented members and no others. */
const closed = JSON.parse(text, (_key, value) =>
  typeof value === 'object' && value?.type === 'object' && value.properties && !value.allOf
    ? { additionalProperties: false, ...value }
    : value,
) as AnySchemaObject;

const ajv = formats.default(new Ajv2020({ strict: false })).addSchema(closed, name);

/** Paths as patterns. One without parameters comes first: `/keys/default` is no `/keys/{key_id}`. */
const patterns = Object.keys(document.paths)
  .toSorted((one, other) => one.split('{').length - other.split('{').length)
  .map((path) => [path, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)] as const);

const pointerPart = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Newline-delimited JSON: each line but the last is an item of the list that is JSON otherwise. */
const linesType = 'application/x-ndjson';

/** The place of a response's schema in the document; undefined if the document does not describe the response. */
function placeOf(method: string, path: string, status: number, contentType: string): string | undefined {
  const [route] = patterns.find(([, pattern]) => pattern.test(path)) ?? [];
  if (route === undefined) return undefined;
  const verb = method.toLowerCase();
  const described = document.paths[route]?.[verb]?.responses[status];
  if (!described) return undefined;
  const own = `#/paths/${pointerPart(route)}/${verb}/responses/${status}`;
  const content = `${described.$ref ?? own}/content`;
  return contentType === linesType && described.content?.[linesType]
    ? `${content}/${pointerPart('application/json')}/schema/items`
    : `${content}/${pointerPart(contentType)}/schema`;
}

/** A response of REST. */
interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Checks that a response is as `schema/openapi.json` says, if it describes one for this method, path and status.
 * @throws {Error} what differs
 */
export function checkResponse(method: string, target: string, { status, headers, text: body }: Response) {
  const [path = ''] = target.split('?');
  const [contentType = ''] = (headers.get('content-type') ?? '').split(';');
  if (body === '' || status === 304) return;
  const place = placeOf(method, path, status, contentType);
  if (place === undefined) return;
  const isValid = ajv.getSchema(`${name}${place}`);
  const about = `${method} ${path} ${status} ${contentType}`;
  if (!isValid) throw new Error(`schema/openapi.json describes no such response: ${about}`);
  const values = contentType === linesType ? body.trimEnd().split('\n').slice(0, -1) : [body];
  for (const value of values)
    if (!isValid(JSON.parse(value)))
      throw new Error(
        `not as schema/openapi.json says: ${about}: ${ajv.errorsText(isValid.errors)}\n${value}`,
      );
}
