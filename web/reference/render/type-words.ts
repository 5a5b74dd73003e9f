import { nameIn, type Schema } from '../description/openapi.ts';

const isNull = ({ type }: Schema) => type === 'null';

/** The alternatives of a schema but null, or the schema itself. */
export const partsOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.allOf ?? [schema];

const plurals: Readonly<Record<string, string>> = {
  string: 'strings',
  integer: 'integers',
  number: 'numbers',
  boolean: 'booleans',
  object: 'objects',
};

function wordOf(schema: Schema): string {
  if (schema.$ref) return nameIn(schema.$ref);
  const type = [schema.type ?? (schema.enum ? 'string' : 'any JSON')]
    .flat()
    .filter((each) => each !== 'null');
  if (type[0] === 'array') {
    const item = schema.items ? wordOf(schema.items) : 'any JSON';
    return `array of ${plurals[item] ?? item}`;
  }
  return `${type.join(' or ')}${schema.format === 'date-time' ? ' (ISO 8601 time)' : ''}`;
}

const allowsNull = (schema: Schema): boolean =>
  [schema.type].flat().includes('null') || (schema.anyOf?.some(isNull) ?? false);

/** The type of a value in words: `string or null`, `array of ApiKey`. */
export const typeWords = (schema: Schema): string =>
  [
    ...new Set(
      partsOf(schema)
        .filter((part) => !isNull(part))
        .map(wordOf),
    ),
    ...(allowsNull(schema) ? ['null'] : []),
  ].join(' or ');

/** The name of the shared schema that a value has; undefined: its schema stands in place. */
export function sharedName(schema: Schema): string | undefined {
  const part = partsOf(schema).find(({ $ref }) => $ref !== undefined) ?? schema.items;
  return part?.$ref && nameIn(part.$ref);
}

/** The values of a number that can hold any value of its type need no words. */
const widest = 2 ** 31 - 1;

const range = (least: number | undefined, most: number | undefined, unit: string): readonly string[] => {
  if (most === undefined || most >= widest)
    return least !== undefined && least > 1 ? [`at least ${least}${unit}`] : [];
  return [least === undefined ? `at most ${most}${unit}` : `${least}–${most}${unit}`];
};

/** The limits of a value in words: `0–100`, `at most 50 items`. */
export const limitWords = (schema: Schema): readonly string[] => [
  ...range(schema.minimum, schema.maximum, ''),
  ...range(schema.minLength, schema.maxLength, schema.maxLength === 1 ? ' character' : ' characters'),
  ...range(undefined, schema.maxItems, ' items'),
];
