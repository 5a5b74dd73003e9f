import type { ServerResponse } from 'node:http';
import type { Caller, Outcome } from './types.ts';

/** Lets a request pass, or sends its refusal by Node, unless somebody has answered meanwhile. */
export function send<Result>(outcome: Outcome, response: ServerResponse, pass: (caller: Caller) => Result) {
  if ('caller' in outcome) return pass(outcome.caller);
  const { status, headers, body } = outcome.refusal;
  if (!response.headersSent) response.writeHead(status, headers).end(body);
  return undefined;
}

/** Lets a request pass, or makes a response of Fetch from its refusal. */
export function respond<Result>(outcome: Outcome, pass: (caller: Caller) => Result): Result | Response {
  if ('caller' in outcome) return pass(outcome.caller);
  const { body, ...init } = outcome.refusal;
  return new Response(body, init);
}
