import type { z } from 'zod';
import { badUserInput, type InputIssue, mostIssues } from '../errors.ts';
import { once } from '../once.ts';
import { audited } from './audited.ts';
import type { OperationContext, OperationSettings } from './context.ts';

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

/** Why a text is refused: PostgreSQL cannot store it (NUL), or UTF-8 cannot express it (a lone surrogate). */
export function faultOf(text: string): Pick<InputIssue, 'message' | 'type'> | undefined {
  if (!text.isWellFormed())
    return { message: 'Must be valid Unicode, without lone surrogates.', type: 'string_unicode' };
  return text.includes('\0')
    ? { message: 'Must not contain a NUL character.', type: 'value_error' }
    : undefined;
}

/** Finds text with a fault, anywhere in an input. */
const textIssues = (value: unknown, path: readonly string[] = []): InputIssue[] => {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, inner]) => textIssues(inner, [...path, name]));
  const fault = typeof value === 'string' ? faultOf(value) : undefined;
  return fault ? [{ path, ...fault }] : [];
};

/**
 * Checks an operation's input by its schema. It always refuses text with a lone surrogate or a NUL. A custom check of
 * the schema names its type as `params: { type }`.
 * @throws {GatewayError} `BAD_USER_INPUT` with the issues, at most `mostIssues` from the schema
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  const found = parsed.error?.issues.slice(0, mostIssues).map((issue) => toInputIssue(issue, input)) ?? [];
  const issues = [...textIssues(input), ...found];
  if (parsed.success && issues.length === 0) return parsed.data;
  throw badUserInput(issues);
}

/** An operation with an input. It checks the input before anything else. */
export interface Operation<Schema extends z.ZodType, Result> {
  /** @throws {GatewayError} `BAD_USER_INPUT` for an invalid input; what the operation itself throws */
  (context: OperationContext, input: z.input<Schema>): Promise<Result>;
  /** The schema of the input. */
  readonly input: (settings: OperationSettings) => Schema;
}

/**
 * Makes an operation.
 * @param schema the schema of the input; or, if it depends on the operator's settings, a function that makes it. The
 *   function is called once for the same settings, because making a schema takes longer than using it
 * @param run the rules of the operation, for a valid input
 */
export function operation<Schema extends z.ZodType, Result>(
  schema: Schema | ((settings: OperationSettings) => Schema),
  run: (context: OperationContext, input: z.output<Schema>) => Promise<Result>,
): Operation<Schema, Result> {
  const input = typeof schema === 'function' ? once(schema) : () => schema;
  const checked = async (context: OperationContext, given: z.input<Schema>) =>
    run(context, parseInput(input(context.services.settings), given));
  return Object.assign(checked, { input });
}

/**
 * Makes an operation that is one {@link audited} change.
 * @param schema as in {@link operation}
 * @param run the rules of the change, within its transaction
 */
export const change = <Schema extends z.ZodType, Result>(
  schema: Schema | ((settings: OperationSettings) => Schema),
  run: (context: OperationContext, input: z.output<Schema>) => Promise<Result>,
): Operation<Schema, Result> =>
  operation(schema, (context, input) => audited(context, (inner) => run(inner, input)));
