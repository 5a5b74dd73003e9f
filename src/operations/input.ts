import type { z } from 'zod';
import { badUserInput, type InputIssue } from '../errors.ts';

type Issue = z.core.$ZodIssue;

/** What pydantic 2 says of a bound of text and of lists; all else is numbers. */
const boundTypes: Readonly<Record<'too_small' | 'too_big', Readonly<Record<string, string>>>> = {
  too_small: { string: 'string_too_short', array: 'too_short' },
  too_big: { string: 'string_too_long', array: 'too_long' },
};

const typeOf = (issue: Issue): string => {
  if (issue.code === 'too_small') return boundTypes.too_small[issue.origin] ?? 'greater_than_equal';
  if (issue.code === 'too_big') return boundTypes.too_big[issue.origin] ?? 'less_than_equal';
  if (issue.code === 'invalid_format') return 'string_pattern_mismatch';
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

/** The pattern of a text without a NUL, for clients. */
export const withoutNul = String.raw`^[^\x00]*$`;

/** How a text is held to a length, for `refine`: in Unicode code points, as JSON Schema counts them. */
export const atMostCharacters = (longest: number) =>
  [
    (text: string) => [...text].length <= longest,
    { message: `Must have at most ${longest} characters.`, params: { type: 'string_too_long' } },
  ] as const;

/**
 * An operation's input, checked by its schema. Text with a lone surrogate or a NUL is refused whatever the schema says.
 * A check of the schema's own names its type as `params: { type }`.
 * @throws {GatewayError} `BAD_USER_INPUT` with every issue
 */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input);
  const found = parsed.error?.issues.map((issue) => toInputIssue(issue, input)) ?? [];
  const issues = [...textIssues(input), ...found];
  if (parsed.success && issues.length === 0) return parsed.data;
  throw badUserInput(issues);
}
