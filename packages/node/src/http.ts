import type { IncomingMessage, ServerResponse } from 'node:http';
import { send } from './answer.ts';
import type { AddressedNeeds, Caller, Checker } from './types.ts';

/**
 * Protects a handler of `node:http`. Requests with a valid API key pass, with the verification as `request.keyward`.
 * All others get a problem document.
 * @param keyward from `createKeyward` or `createAssertions`
 * @param needs such as `{ permissions: ['documents.read'] }`; `{}`: any valid key
 * @throws {TypeError} if the needs are malformed
 */
export function withApiKey(
  keyward: Checker,
  { address = ({ socket }) => socket.remoteAddress, ...needs }: AddressedNeeds<[IncomingMessage]>,
  handler: (request: IncomingMessage & { keyward: Caller }, response: ServerResponse) => unknown,
) {
  const check = keyward.check(needs);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await send(await check(request, address(request)), response, (keyward) =>
      handler(Object.assign(request, { keyward }), response),
    );
  };
}
