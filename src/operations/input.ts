import type { z } from 'zod';
import { badUserInput, type InputIssue, mostIssues } from '../errors.ts';
import type { OperationLimits } from './context.ts';

type Issue = z.core.$ZodIssue;

/** What pydantic 2 says of a bound, for text and for numbers. */
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

/** Refuses text, anywhere in an input, that PostgreSQL cannot store (NUL) or that UTF-8 cannot express (a lone surrogate). */
const textIssues = (value: unknown, path: readonly string[] = []): InputIssue[] => {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, inner]) => textIssues(inner, [...path, name]));
  if (typeof value !== 'string') return [];
  if (!value.isWellFormed())
    return [
      { path, message: 'Must be valid Unicode, without half of a surrogate pair.', type: 'string_unicode' },
    ];
  return value.includes('\0')
    ? [{ path, message: 'Must not contain a NUL character.', type: 'value_error' }]
    : [];
};

/** How a text is held to a length, for `refine`: in Unicode code points, as JSON Schema counts them. */
const atMostCharacters = (longest: number) =>
  [
    (text: string) => [...text].length <= longest,
    { message: `Must have at most ${longest} characters.`, params: { type: 'string_too_long' } },
  ] as const;

/** Holds a text to a length in Unicode code points. The pattern tells clients that it holds no NUL. */
export const atMostLong = (text: z.ZodString, longest: number) =>
  text.refine(...atMostCharacters(longest)).meta({ maxLength: longest, pattern: String.raw`^[^\x00]*$` });

/**
 * Trims what a person has written, and holds it to something in it and a length in Unicode code points. The pattern
 * tells clients the same: JSON Schema does not trim, and has no word for a text without a NUL.
 */
export const trimmed = (text: z.ZodString, longest: number) =>
  text
    .trim()
    .min(1, 'Must have at least 1 character that is not white space.')
    .refine(...atMostCharacters(longest))
    .meta({ pattern: String.raw`^\s*[^\s\x00](?:[^\x00]{0,${longest - 2}}[^\s\x00])?\s*$` });

/** How a list is held to a length, for `refine`. What is checked after that is spared where it is too long. */
export const atMost = (longest: number) =>
  [
    (list: readonly unknown[]) => list.length <= longest,
    { message: `Must have at most ${longest} items.`, params: { type: 'too_long' }, abort: true },
  ] as const;

/** What is said of an item that will not do. */
interface ItemIssue {
  readonly message: string;
  readonly params?: { readonly type: string };
}

/**
 * Holds each item of a list to a check, for `superRefine` after {@link atMost}: zod would check the items first, and
 * an issue for each of thousands takes seconds.
 */
export const eachItem =
  <Item>(isGood: (item: Item) => boolean, issue: ItemIssue) =>
  (list: readonly Item[], { addIssue }: Pick<z.RefinementCtx, 'addIssue'>): void => {
    for (const [index, item] of list.entries())
      if (!isGood(item)) addIssue({ code: 'custom', path: [index], ...issue });
  };

/** Holds a list to items of which none is there twice, for `refine`. */
export const onlyOnce = [
  (list: readonly unknown[]) => new Set(list).size === list.length,
  { message: 'Must have each item once.' },
] as const;

/**
 * The schema of an input that depends on the operator's limits, made once for them: to make one takes longer than to
 * use it.
 */
export function byLimits<Schema extends z.ZodType>(
  create: (limits: OperationLimits) => Schema,
): (limits: OperationLimits) => Schema {
  const schemas = new WeakMap<OperationLimits, Schema>();
  return (limits) => {
    const schema = schemas.get(limits) ?? create(limits);
    schemas.set(limits, schema);
    return schema;
  };
}

/**
 * An operation's input, checked by its schema. Text with a lone surrogate or a NUL is refused whatever the schema says.
 * A check of the schema's own names its type as `params: { type }`.
 * @throws {GatewayError} `BAD_USER_INPUT` with what is wrong, as far as it is told
 */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input);
  const found = parsed.error?.issues.slice(0, mostIssues).map((issue) => toInputIssue(issue, input)) ?? [];
  const issues = [...textIssues(input), ...found];
  if (parsed.success && issues.length === 0) return parsed.data;
  throw badUserInput(issues);
}
