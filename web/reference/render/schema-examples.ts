import { type Description, nameIn, type Schema } from '../description/openapi.ts';
import { operationsIn } from '../description/operations.ts';
import { webhooksIn } from './reading.ts';

type Examples = Map<string, unknown>;

/** A part of a schema, and what stands for it in an example. */
type Pair = readonly [part: Schema, example: unknown];

const pairsIn = (
  { anyOf = [], allOf = [], items, properties = {} }: Schema,
  example: unknown,
): readonly Pair[] => [
  ...[...anyOf, ...allOf].map((part) => [part, example] as const),
  ...(items && Array.isArray(example) ? [[items, example[0]] as const] : []),
  ...Object.entries(properties).map(
    ([name, member]) => [member, (example as Readonly<Record<string, unknown>>)[name]] as const,
  ),
];

/** Notes the parts of an example that have a shared schema. The first example of a schema counts. */
function note([schema, example]: Pair, description: Description, found: Examples): void {
  if (example === null || example === undefined) return;
  const name = schema.$ref && nameIn(schema.$ref);
  if (name && found.has(name)) return;
  if (name) found.set(name, example);
  const whole = (name && description.components.schemas[name]) || schema;
  for (const pair of pairsIn(whole, example)) note(pair, description, found);
}

/** An example of each shared schema, from the examples of the operations. */
export function schemaExamples(description: Description): ReadonlyMap<string, unknown> {
  const found: Examples = new Map();
  const { responses } = description.components;
  const contents = [
    ...operationsIn(description).flatMap(({ operation }) => Object.values(operation.responses)),
    ...Object.values(responses),
  ].flatMap((response) => ('content' in response ? Object.values(response.content ?? {}) : []));
  for (const { schema, example } of contents) note([schema, example], description, found);
  for (const { body } of webhooksIn(description))
    if (body) note([body.schema, body.example], description, found);
  return found;
}
