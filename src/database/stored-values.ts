import { UnexpectedValueError } from './failures.ts';

/** The values that are never null where the row is there. */
type Present<Values> = { [Name in keyof Values]: NonNullable<Values[Name]> };

/**
 * Checks values that are all there or all missing, because of an outer join or of columns that belong together.
 * @param place the columns, for the log
 * @returns null if all are missing
 * @throws {UnexpectedValueError} if only some are missing
 */
export function allOrNone<Values extends object>(place: string, values: Values): Present<Values> | null {
  const all = Object.values(values);
  const missing = all.filter((value) => value == null).length;
  if (missing === all.length) return null;
  if (missing > 0) throw new UnexpectedValueError(place, null);
  return values as Present<Values>;
}

/**
 * Parses stored JSON.
 * @param place the column, for the log
 * @param isExpected whether the parsed value is what the column holds
 * @throws {UnexpectedValueError} if it is not, or if the text is no JSON
 */
export function parseStored<Value>(
  place: string,
  text: string,
  isExpected: (value: unknown) => value is Value,
): Value {
  const value = parseJson(text);
  if (!isExpected(value)) throw new UnexpectedValueError(place, value ?? text);
  return value;
}

/** Parses JSON; undefined if it is none. The parser's error would show the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a list of texts. */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
