import type { IncomingMessage, ServerResponse } from 'node:http';
import { send } from './answer.ts';
import type { Caller, Checker, Needs } from './types.ts';

declare global {
  namespace Express {
    interface Request {
      /** The verification of the API key, on routes with `apiKey`. */
      keyward?: Caller;
    }
  }
}

/**
 * Middleware for Express 5 and 4. Requests with a valid API key pass, with the verification as `request.keyward`.
 * All others get a problem document. Behind a proxy, set `trust proxy`: the client's address counts.
 * @param keyward from `createKeyward` or `createAssertions`
 * @param needs such as `{ permissions: ['documents.read'] }`; `{}`: any valid key
 * @throws {TypeError} if the needs are malformed
 */
export function apiKey(keyward: Checker, needs: Needs) {
  const check = keyward.check(needs);
  return (
    request: IncomingMessage & { readonly ip?: string | undefined; keyward?: Caller },
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): void => {
    check(request, request.ip)
      .then((outcome) =>
        send(outcome, response, (caller) => {
          request.keyward = caller;
          next();
        }),
      )
      .catch(next);
  };
}
