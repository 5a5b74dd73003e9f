// Fastify as its documentation has it: @fastify/jwt with its cache, response schemas, Mercurius with its compiler.
import { createPublicKey, randomUUID } from 'node:crypto';
import jwt from '@fastify/jwt';
import { type FastifyError, type FastifyRequest, fastify } from 'fastify';
import type { JWK } from 'jose';
import { type Caller, requireScopes } from './caller.ts';
import { readEnvironment } from './environment.ts';
import { graphql } from './fastify-graphql.ts';
import { addRest } from './fastify-rest.ts';
import { discoverKeySet } from './key-set.ts';
import { invalidToken, notAuthenticated, Refusal } from './refusal.ts';
import { standardHeaders } from './standard-headers.ts';
import { openStore } from './store.ts';

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

const { port, databaseFile, issuer, audience } = readEnvironment();
const store = openStore(databaseFile);

/** The issuer's one signing key. A static key lets @fastify/jwt use one verifier, with one cache. */
async function readSigningKey(): Promise<string> {
  const response = await fetch(await discoverKeySet(issuer));
  const { keys } = (await response.json()) as { keys: [JWK] };
  return createPublicKey({ key: keys[0], format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
}

const app = fastify({
  logger: false,
  bodyLimit: 64 * 1024,
  genReqId: () => randomUUID(),
  ajv: { customOptions: { coerceTypes: false } },
});

await app.register(jwt, {
  secret: { public: await readSigningKey() },
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

async function authenticate(request: FastifyRequest): Promise<void> {
  if (!request.headers.authorization?.startsWith('Bearer ')) throw notAuthenticated();
  try {
    await request.jwtVerify();
  } catch (cause) {
    throw invalidToken(cause);
  }
}

const requiring = (scopes: readonly string[]) => async (request: FastifyRequest) => {
  await authenticate(request);
  requireScopes(request.user, scopes);
};

app.addHook('onSend', async ({ id }, reply) => {
  reply.headers(standardHeaders(id));
});

const statusOf = ({ code, statusCode = 500 }: FastifyError) =>
  code === 'FST_ERR_CTP_INVALID_JSON_BODY' ? 422 : statusCode;

app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
  const known = error instanceof Refusal;
  const status = known ? error.status : statusOf(error);
  const code = known ? error.code : 'INTERNAL_SERVER_ERROR';
  const message = status < 500 ? error.message : 'Internal Server Error';
  const isGraphql = request.url === '/graphql';
  return reply
    .status(status)
    .send(isGraphql ? { errors: [{ message, extensions: { code } }] } : { detail: message });
});

addRest(app, store, requiring);
await app.register(graphql, { store, authenticate });
await app.listen({ port, host: '127.0.0.1' });
