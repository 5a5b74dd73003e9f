import { beforeEach, expect, it } from 'vitest';
import { setUpGateway } from '../support/set-up-gateway.ts';

const schemaState = { fault: undefined as string | undefined };
const setup = setUpGateway({ schemaState });
beforeEach(() => {
  schemaState.fault = undefined;
});

it('a newer version has changed the schema → 503, and the log says why', async () => {
  const account = await setup.gateway.createAccount('alice');
  const { secret } = await setup.gateway.createVerifiableKey(account);
  const token = await setup.sign({ scope: 'keys.verify' });
  const person = await setup.sign();
  const asked = () =>
    Promise.all([
      setup.gateway.rest('POST', '/keys/verify', { token, json: { key: secret } }),
      setup.gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } }),
      setup.gateway.rest('GET', '/keys/self', { headers: { authorization: `Bearer ${secret}` } }),
      setup.gateway.graphql('{ privateKeyStatus { hasKey } }', { token: person }),
    ]);
  for (const { status } of await asked()) expect(status).toBeLessThan(300);
  schemaState.fault = 'its schema is newer than this version (Migration20991231000000)';
  for (const { status, headers, text } of await asked()) {
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(text).toContain('This node is older than its database');
    expect(text).not.toContain('Migration');
  }
  expect(setup.gateway.log()).toContainEqual(
    expect.objectContaining({ reason: 'schema-newer', status: 503 }),
  );
  schemaState.fault = undefined;
  for (const { status } of await asked()) expect(status).toBeLessThan(300);
});
