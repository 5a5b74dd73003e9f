import type { z } from 'zod';
import { badUserInput, type InputIssue, mostIssues } from '../errors.ts';
import { once } from '../once.ts';
import type { OperationSettings } from './context.ts';

type Issue = z.core.$ZodIssue;

/** The names of pydantic 2 for an exceeded bound, for text and for numbers. */
const boundTypes = {
  too_small: { string: 'string_too_short', number: 'greater_than_equal' },
  too_big: { string: 'string_too_long', number: 'less_than_equal' },
} as const;

const typeOf = (issue: Issue): string => {
  if (issue.code === 'too_small' || issue.code === 'too_big')
    return boundTypes[issue.code][issue.origin === 'string' ? 'string' : 'number'];
  const given: unknown = issue.code === 'custom' ? issue.params?.['type'] : undefined;
  return typeof given === 'string' ? given : 'value_error';
};

const toInputIssue = (issue: Issue, input: unknown): InputIssue => {
  const path = issue.path.map(String);
  const value = path.reduce<unknown>((inner, name) => Object(inner)[name], input);
  return issue.code === 'invalid_type' && value === undefined
    ? { path, message: 'Required.', type: 'missing' }
    : { path, message: issue.message, type: typeOf(issue) };
};

/**
 * Finds text, anywhere in an input, that PostgreSQL cannot store (NUL) or that UTF-8 cannot express (a lone
 * surrogate).
 */
const textIssues = (value: unknown, path: readonly string[] = []): InputIssue[] => {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, inner]) => textIssues(inner, [...path, name]));
  if (typeof value !== 'string') return [];
  if (!value.isWellFormed())
    return [{ path, message: 'Must be valid Unicode, without lone surrogates.', type: 'string_unicode' }];
  return value.includes('\0')
    ? [{ path, message: 'Must not contain a NUL character.', type: 'value_error' }]
    : [];
};

/** The arguments of zod's `refine` for a text's longest length, in Unicode code points, as in JSON Schema. */
const atMostCharacters = (longest: number) =>
  [
    (text: string) => [...text].length <= longest,
    { message: `Must have at most ${longest} characters.`, params: { type: 'string_too_long' } },
  ] as const;

/**
 * Limits the length of a text, in Unicode code points. The pattern tells clients that the text must not contain NUL.
 */
export const atMostLong = (text: z.ZodString, longest: number) =>
  text.refine(...atMostCharacters(longest)).meta({ maxLength: longest, pattern: String.raw`^[^\x00]*$` });

/** The most characters of an operator's reason for an action. */
export const longestReason = 500;

/** The most bytes of a text of so many Unicode code points, as JSON: a control character has six. */
export const mostTextBytes = (characters: number): number => 6 * characters + 2;

/**
 * Trims a person's text, and requires 1 to `longest` Unicode code points: `" a "` → `"a"`. The pattern tells clients
 * the same, because JSON Schema does not trim and has no keyword for a text without NUL.
 */
export const trimmed = (text: z.ZodString, longest: number) =>
  text
    .trim()
    .min(1, 'Must have at least 1 character that is not white space.')
    .refine(...atMostCharacters(longest))
    .meta({ pattern: String.raw`^\s*[^\s\x00](?:[^\x00]{0,${longest - 2}}[^\s\x00])?\s*$` });

/** The arguments of zod's `refine` for a list's longest length. If the list is too long, no later check runs. */
export const atMost = (longest: number) =>
  [
    (list: readonly unknown[]) => list.length <= longest,
    { message: `Must have at most ${longest} items.`, params: { type: 'too_long' }, abort: true },
  ] as const;

/** The issue of an item that fails a check. */
interface ItemIssue {
  readonly message: string;
  readonly params?: { readonly type: string };
}

/**
 * Checks each item of a list, for zod's `superRefine` after {@link atMost}. zod itself would check the items before
 * the length, and an issue for each of thousands of items takes seconds.
 */
export const eachItem =
  <Item>(isGood: (item: Item) => boolean, issue: ItemIssue) =>
  (list: readonly Item[], { addIssue }: Pick<z.RefinementCtx, 'addIssue'>): void => {
    for (const [index, item] of list.entries())
      if (!isGood(item)) addIssue({ code: 'custom', path: [index], ...issue });
  };

/** The arguments of zod's `refine` that refuse a list with a repeated item. */
export const onlyOnce = [
  (list: readonly unknown[]) => new Set(list).size === list.length,
  { message: 'Must not contain duplicates.' },
] as const;

/**
 * Makes the schema of an input that depends on the operator's settings only once for the same settings, because making
 * a schema takes longer than using it.
 * @returns a function from the settings to the schema
 */
export const bySettings = <Schema extends z.ZodType>(
  create: (settings: OperationSettings) => Schema,
): ((settings: OperationSettings) => Schema) => once(create);

/**
 * Checks an operation's input by its schema. It always refuses text with a lone surrogate or a NUL. A custom check of
 * the schema names its type as `params: { type }`.
 * @throws {GatewayError} `BAD_USER_INPUT` with the issues, at most `mostIssues` from the schema
 */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input);
  const found = parsed.error?.issues.slice(0, mostIssues).map((issue) => toInputIssue(issue, input)) ?? [];
  const issues = [...textIssues(input), ...found];
  if (parsed.success && issues.length === 0) return parsed.data;
  throw badUserInput(issues);
}

/** Whether a moment lies in the years 1970 to 9999, UTC: the only ones that inputs accept and outputs write alike. */
export const isInBounds = (moment: Date): boolean =>
  moment.getUTCFullYear() >= 1970 && moment.getUTCFullYear() <= 9999;

/** The message for a moment outside {@link isInBounds}. */
export const outOfBounds = 'Must be in the years 1970 to 9999 (UTC).';
