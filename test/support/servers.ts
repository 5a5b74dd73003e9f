import type { ServerCredential } from '../../src/config/values/server-credentials.ts';
import { createServerSecret, digestOfServerSecret } from '../../src/secrets/server-secret.ts';
import type { Call, TestGateway } from './gateway.ts';

/** A server of the provider, with the secret that its credential has the digest of. */
export interface TestServer extends ServerCredential {
  readonly secret: string;
}

/** Makes a server with some scopes. */
export function createServer(name: string, ...scopes: ServerCredential['scopes']): TestServer {
  const secret = createServerSecret();
  return { name, scopes, secret, digest: digestOfServerSecret(secret) };
}

/** The header field `Authorization` for HTTP Basic. */
export const basic = (name: string, secret: string): string =>
  `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;

/** The same gateway, each of whose calls is changed before it is sent. */
function changing(gateway: TestGateway, changed: (call?: Call) => Call): TestGateway {
  return {
    ...gateway,
    fetch: (method, path, call) => gateway.fetch(method, path, changed(call)),
    rest: (method, path, call) => gateway.rest(method, path, changed(call)),
    graphql: (query, call) => gateway.graphql(query, changed(call)),
  };
}

/** The same gateway, each of whose calls has this header field `Authorization` in place of a token. */
export const withAuthorization = (gateway: TestGateway, authorization: string): TestGateway =>
  changing(gateway, ({ token: _, headers, ...call } = {}) => ({
    ...call,
    headers: { ...headers, authorization },
  }));

/** The same gateway, each of whose calls is for this organisation. */
export const forOrganization = (gateway: TestGateway, organization: string): TestGateway =>
  changing(gateway, ({ headers, ...call } = {}) => ({
    ...call,
    headers: { ...headers, 'keyward-organization': organization },
  }));

/** The same gateway, each of whose calls is for this account. */
export const actingFor = (gateway: TestGateway, account: number | string): TestGateway =>
  changing(gateway, ({ headers, ...call } = {}) => ({
    ...call,
    headers: { ...headers, 'keyward-account': `${account}` },
  }));
