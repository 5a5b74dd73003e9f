import type { ServerCredential } from '../config/values/server-credentials.ts';
import { baseUrl } from '../http/base-url.ts';
import { developmentServerSecret, digestOfServerSecret } from '../secrets/server-secret.ts';

/** The `aud` of the development identity provider's access tokens. */
export const developmentAudience = 'keyward';

/** The `aud` of assertions in development: a provider's service. */
export const developmentApi = 'api';

/** The one client of the development identity provider; it is public and has no secret. */
export const developmentClientId = 'keyward-development';

/** The grant type that issues a token for a named subject, without a password. */
export const developmentSubjectGrant = 'urn:keyward:grant-type:development-subject';

/** The server that signs in with a secret while the development identity provider runs. */
export const developmentServer: ServerCredential = {
  name: 'server',
  scopes: ['keys.verify', 'keys.import', 'accounts.act', 'accounts.entitle'],
  digest: digestOfServerSecret(developmentServerSecret),
};

/**
 * The issuer identifier of the development identity provider.
 * @param server - the host and port on which Keyward listens
 * @returns such as `http://127.0.0.1:4000/idp`
 */
export function developmentIssuer({ host, port }: { host: string; port: number }): string {
  return `${baseUrl(host, port)}/idp`;
}
