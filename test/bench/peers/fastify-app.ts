import { createPublicKey, randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import jwt from '@fastify/jwt';
import { type FastifyError, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { JWK } from 'jose';
import { type Caller, requireScopes } from './caller.ts';
import type { Environment } from './environment.ts';
import { discoverKeySet } from './key-set.ts';
import { invalidToken, notAuthenticated, Refusal } from './refusal.ts';
import { standardHeaders } from './standard-headers.ts';

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly scope?: string;
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Claims;
    user: Caller;
  }
}

/** The issuer's one signing key. A static key lets @fastify/jwt use one verifier, with one cache. */
async function readSigningKey(issuer: string): Promise<string> {
  const response = await fetch(await discoverKeySet(issuer));
  const { keys } = (await response.json()) as { keys: [JWK] };
  return createPublicKey({ key: keys[0], format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
}

/** Lets a request pass whose access token is good. */
export async function authenticate(request: FastifyRequest): Promise<void> {
  if (!request.headers.authorization?.startsWith('Bearer ')) throw notAuthenticated();
  try {
    await request.jwtVerify();
  } catch (cause) {
    throw invalidToken(cause);
  }
}

/** Lets a request pass whose access token is good and has these scopes. */
export const requiring = (scopes: readonly string[]) => async (request: FastifyRequest) => {
  await authenticate(request);
  requireScopes(request.user, scopes);
};

const statusOf = ({ code, statusCode = 500 }: FastifyError) =>
  code === 'FST_ERR_CTP_INVALID_JSON_BODY' ? 422 : statusCode;

/** An error for a reverse proxy: a problem document (RFC 9457), also in a header. */
function answerProblem(reply: FastifyReply, status: number, detail: string) {
  const reason = detail === 'Not authenticated' ? 'no_api_key' : 'invalid_api_key';
  const problem = JSON.stringify({ title: STATUS_CODES[status], status, detail, reason });
  return reply
    .status(status)
    .headers({ 'content-type': 'application/problem+json', 'x-keyward-problem': problem })
    .send(problem);
}

/** An error as REST answers it, GraphQL, or the door for proxies. */
function answerError(error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply) {
  const known = error instanceof Refusal;
  const status = known ? error.status : statusOf(error);
  const code = known ? error.code : 'INTERNAL_SERVER_ERROR';
  const message = status < 500 ? error.message : 'Internal Server Error';
  if (request.url.startsWith('/api/v1/keys/authorize')) return answerProblem(reply, status, message);
  const isGraphql = request.url === '/graphql';
  return reply
    .status(status)
    .send(isGraphql ? { errors: [{ message, extensions: { code } }] } : { detail: message });
}

/** Fastify with @fastify/jwt and its cache, without routes. */
export async function createApp({ issuer, audience }: Pick<Environment, 'issuer' | 'audience'>) {
  const app = fastify({
    logger: false,
    bodyLimit: 64 * 1024,
    genReqId: () => randomUUID(),
    ajv: { customOptions: { coerceTypes: false } },
  });

  await app.register(jwt, {
    secret: { public: await readSigningKey(issuer) },
    verify: {
      cache: 10_000,
      algorithms: ['RS256'],
      allowedIss: issuer,
      allowedAud: audience,
      checkTyp: 'at+jwt',
      clockTolerance: 60_000,
      requiredClaims: ['iss', 'aud', 'sub', 'exp'],
    },
    formatUser: ({ iss, sub, scope = '' }) => ({
      issuer: iss,
      subject: sub,
      scopes: new Set(scope.split(' ')),
    }),
  });

  app.addHook('onSend', async ({ id }, reply) => {
    reply.headers(standardHeaders(id));
  });

  app.setErrorHandler(answerError);
  return app;
}
