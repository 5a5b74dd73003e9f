import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Checker, Needs } from './types.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The verification of the API key, on routes with `apiKey`. */
    keyward?: Caller;
  }
}

/**
 * Hook for Fastify: `onRequest` or `preHandler`. Requests with a valid API key pass, with the verification as
 * `request.keyward`. All others get a problem document. Behind a proxy, set `trustProxy`: the client's address counts.
 * @param keyward from `createKeyward` or `createAssertions`
 * @param needs such as `{ permissions: ['documents.read'] }`; `{}`: any valid key
 * @throws {TypeError} if the needs are malformed
 */
export function apiKey(keyward: Checker, needs: Needs) {
  const check = keyward.check(needs);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const outcome = await check(request.raw, request.ip);
    if ('refusal' in outcome) {
      const { status, headers, body } = outcome.refusal;
      // To the type of a text, Fastify would add a charset.
      return reply.code(status).headers(headers).send(Buffer.from(body));
    }
    request.keyward = outcome.caller;
    return undefined;
  };
}
