import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountAdmin } from '../../src/auth/scopes.ts';
import { resource, startBetterAuth } from '../support/better-auth.ts';
import { startGlewlwyd } from '../support/glewlwyd.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { secretVariables } from '../support/secrets.ts';

/** What somebody with a token is answered: a key is made, by both sides, and read. */
async function use({ url }: ServiceProcess, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const rest = await fetch(`${url}/api/v1/auth/keys`, { method: 'POST', headers, body: '{}' });
  const query = 'mutation { createApiKey { key } }';
  const graphql = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query }),
  });
  return [rest.status, graphql.status];
}

/** A service that is configured as a recipe says. */
async function startBehind(variables: Record<string, string>) {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTemporaryFolder());
  const service = starting.use(await startProcess(folder.path, { ...secretVariables(), ...variables }));
  const stack = starting.move();
  return { service, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('behind better-auth', () => {
  let provider: Awaited<ReturnType<typeof startBetterAuth>>;
  let behind: Awaited<ReturnType<typeof startBehind>>;
  beforeAll(async () => {
    provider = await startBetterAuth();
    behind = await startBehind({ AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: resource });
  }, 150_000);
  afterAll(async () => {
    await behind?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  it("accepts a person's access token, signed with Ed25519, but not their ID token", async () => {
    const { access_token, id_token } = await provider.signUp('alice', accountAdmin.join(' '));
    expect(decodeProtectedHeader(access_token)).toMatchObject({ alg: 'EdDSA' });
    expect(await use(behind.service, access_token)).toEqual([201, 200]);
    expect(await use(behind.service, id_token)).toEqual([401, 401]);
  });

  it('tells a person that scopes are missing', async () => {
    const { access_token } = await provider.signUp('bob', 'openid email');
    expect(decodeJwt(access_token)['scope']).toBe('openid email');
    expect(await use(behind.service, access_token)).toEqual([403, 403]);
  });
});

describe.runIf(canRun('glewlwyd', 'no token of its own is tried'))('behind Glewlwyd', () => {
  it("accepts a person's access token, signed with Ed25519, but not their ID token", async () => {
    await using provider = await startGlewlwyd(resource);
    await using behind = await startBehind({ AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: resource });
    const { access_token, id_token } = await provider.signIn(accountAdmin.join(' '));
    expect(decodeProtectedHeader(access_token)).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt' });
    expect(await use(behind.service, access_token)).toEqual([201, 200]);
    expect(await use(behind.service, id_token)).toEqual([401, 401]);
    const poor = await provider.signIn('openid email');
    expect(await use(behind.service, poor.access_token)).toEqual([403, 403]);
  });
});
