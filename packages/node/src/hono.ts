import type { Context, MiddlewareHandler } from 'hono';
import { respond } from './answer.ts';
import type { AddressedNeeds, Caller, Checker } from './types.ts';

/**
 * Middleware for Hono. Requests with a valid API key pass, with the verification as `c.get('keyward')`. All others get
 * a problem document.
 * @param keyward from `createKeyward` or `createAssertions`
 * @param needs such as `{ permissions: ['documents.read'] }`; `{}`: any valid key
 * @throws {TypeError} if the needs are malformed
 */
export function apiKey(
  keyward: Checker,
  { address, ...needs }: AddressedNeeds<[Context]>,
): MiddlewareHandler<{ Variables: { keyward: Caller } }> {
  const check = keyward.check(needs);
  return async (context, next) => {
    return respond(await check(context.req.raw, address?.(context)), (caller) => {
      context.set('keyward', caller);
      return next();
    });
  };
}
