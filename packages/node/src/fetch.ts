import { respond } from './answer.ts';
import type { AddressedNeeds, Caller, Checker } from './types.ts';

/**
 * Protects a Fetch handler. Requests with a valid API key pass. All others get a problem document.
 * @param keyward from `createKeyward` or `createAssertions`
 * @param needs such as `{ permissions: ['documents.read'] }`; `{}`: any valid key
 * @param handler gets the request, the verification, and what else the runtime passes
 * @throws {TypeError} if the needs are malformed
 */
export function withApiKey<Rest extends unknown[]>(
  keyward: Checker,
  { address, ...needs }: AddressedNeeds<[request: Request, ...rest: Rest]>,
  handler: (request: Request, context: { keyward: Caller }, ...rest: Rest) => Response | Promise<Response>,
) {
  const check = keyward.check(needs);
  return async (request: Request, ...rest: Rest): Promise<Response> => {
    return respond(await check(request, address?.(request, ...rest)), (keyward) =>
      handler(request, { keyward }, ...rest),
    );
  };
}
