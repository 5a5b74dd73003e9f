import { respond } from './answer.ts';
import type { AddressedNeeds, Caller, Checker } from './types.ts';

/**
 * Protects a route handler of Next.js. Requests with a valid API key pass. All others get a problem document.
 * @param keyward from `createKeyward` or `createAssertions`
 * @param needs such as `{ permissions: ['documents.read'] }`; `{}`: any valid key
 * @param handler gets the request, and its context with the verification as `keyward`
 * @throws {TypeError} if the needs are malformed
 */
export function withApiKey<Context = object, Incoming extends Request = Request>(
  keyward: Checker,
  { address, ...needs }: AddressedNeeds<[Incoming]>,
  handler: (request: Incoming, context: Context & { keyward: Caller }) => Response | Promise<Response>,
) {
  const check = keyward.check(needs);
  return async (request: Incoming, context: Context): Promise<Response> => {
    return respond(await check(request, address?.(request)), (keyward) =>
      handler(request, { ...context, keyward }),
    );
  };
}
