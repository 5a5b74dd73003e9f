import { badUserInput, GatewayError, type InputIssue, unwrap } from '../errors.ts';
import type { Input } from './inputs.ts';
import { snakeCase } from './names.ts';

/** Where an issue stands in a request, by its wire names: `["path", "key_id"]`. */
const locationOf = (
  { path: [argument = '', ...members] }: InputIssue,
  inputs: readonly Input[],
): string[] => {
  // No argument begins with a capital: that is a header field.
  if (/^[A-Z]/.test(argument)) return ['header', argument];
  const input = inputs.find((each) => each.argument.name === argument);
  return [input?.in ?? 'body', input?.name ?? snakeCase(argument), ...members.map(snakeCase)];
};

/**
 * An operation's error; the faults of its input have their places in the request that was made.
 * @param inputs those of the route that was called
 */
export function inRestNames(error: unknown, inputs: readonly Input[]): unknown {
  const inner = unwrap(error);
  if (!(inner instanceof GatewayError) || inner.issues.length === 0) return error;
  const issues = inner.issues.map((issue) => ({ ...issue, path: locationOf(issue, inputs) }));
  return badUserInput(issues, inner.cause);
}
