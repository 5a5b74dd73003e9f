import type { FastifyInstance, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { keyVerifier } from './caller.ts';
import { invalidInput, invalidToken, notAuthenticated } from './refusal.ts';
import type { Verify } from './verify-secret.ts';

const nullable = (type: string) => ({ type, nullable: true });

const limits = { rate_limit: nullable('object'), quota: nullable('object') };

const verification = {
  type: 'object',
  properties: {
    valid: { type: 'boolean' },
    reason: nullable('string'),
    key_id: nullable('integer'),
    user_id: nullable('integer'),
    owner_kind: nullable('string'),
    organization_id: nullable('string'),
    expires_at: nullable('string'),
    name: nullable('string'),
    permissions: { type: 'array', items: { type: 'string' } },
    metadata: { ...nullable('object'), additionalProperties: true },
    automation: {
      ...nullable('object'),
      properties: { is_enabled: nullable('boolean'), session_duration: nullable('integer') },
    },
    plan: nullable('string'),
    stale: { type: 'boolean' },
    assertion: nullable('string'),
    entitlement: {
      ...nullable('object'),
      properties: { metadata: nullable('object'), ...limits },
    },
    ...limits,
  },
};

const body = {
  type: 'object',
  required: ['key'],
  properties: { key: { type: 'string', maxLength: 1000 } },
};

const schemaErrorFormatter = ([error]: FastifySchemaValidationError[]) =>
  invalidInput(error?.message ?? 'The input is not valid.');

/** The two ways to verify an API key: for a server, and for a reverse proxy. */
export function addDoors(
  app: FastifyInstance,
  verify: Verify,
  requiring: (scopes: readonly string[]) => (request: FastifyRequest) => Promise<void>,
): void {
  app.post<{ Body: { key: string } }>(
    '/api/v1/keys/verify',
    {
      onRequest: requiring(keyVerifier),
      schemaErrorFormatter,
      schema: { body, response: { 200: verification } },
    },
    async (request) => verify(request.body.key),
  );

  app.all('/api/v1/keys/authorize', async ({ headers: { authorization } }, reply) => {
    if (!authorization?.startsWith('Bearer ')) throw notAuthenticated();
    const { reason, user_id, key_id, plan } = await verify(authorization.slice('Bearer '.length));
    if (reason !== null) throw invalidToken(reason);
    return reply
      .headers({
        ...{ 'x-keyward-user': `${user_id}`, 'x-keyward-key': `${key_id}` },
        ...{ 'x-keyward-organization': '', 'x-keyward-plan': plan ?? '', 'x-keyward-permissions': '', 'x-keyward-assertion': '' },
      })
      .send();
  });
}
