import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Load } from '../../src/http/load.ts';
import { createTestGateway } from '../support/gateway.ts';
import { startIssuer } from '../support/issuer.ts';

it('too many requests at once → 503 before the token is checked, fewer → 200', async () => {
  await using issuer = await startIssuer();
  using load = new Load(5, pino({ level: 'silent' }), Number.POSITIVE_INFINITY);
  await using gateway = await createTestGateway(issuer, { edge: { load } });
  const token = await issuer.sign();
  const send = () => gateway.rest('PUT', '/automation/settings', { token, json: { is_enabled: true } });
  const answers = await Promise.all(Array.from({ length: 20 }, send));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(5);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body, headers } of refused) {
    expect([status, body]).toEqual([503, { detail: 'Service Unavailable' }]);
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('x-request-id')).toBeTruthy();
  }
  load.inFlight += 5;
  const { status, body } = await gateway.graphql('{ privateKeyStatus { hasKey } }');
  expect([status, body]).toEqual([
    503,
    { errors: [{ message: 'Service Unavailable', extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
  ]);
  load.inFlight -= 5;
  expect(load.inFlight).toBe(0);
  expect((await send()).status).toBe(200);
});

it('too many requests at once → 503 for each path, even for one without token or database', async () => {
  await using issuer = await startIssuer();
  using load = new Load(5, pino({ level: 'silent' }), Number.POSITIVE_INFINITY);
  await using gateway = await createTestGateway(issuer, { edge: { load } });
  const metadata = '/.well-known/oauth-protected-resource';
  load.inFlight += 5;
  for (const [method, path] of [
    ['GET', metadata],
    ['HEAD', metadata],
    ['POST', metadata],
    ['HEAD', '/api/v1/auth/keys'],
    ['GET', '/api/v1/keys/authorize'],
    ['GET', '/api/v1/openapi.json'],
    ['GET', '/graphql'],
    ['OPTIONS', '/graphql'],
    ['GET', '/nowhere'],
  ] as const) {
    const { status, headers } = await gateway.fetch(method, path);
    expect([method, path, status, headers.get('retry-after')]).toEqual([method, path, 503, '1']);
  }
  load.inFlight -= 5;
  expect((await gateway.fetch('GET', metadata)).status).toBe(200);
});
