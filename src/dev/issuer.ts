import { baseUrl } from '../http/base-url.ts';

/** The `aud` of the development identity provider's access tokens. */
export const developmentAudience = 'keyward';

/** The one client of the development identity provider; it is public and has no secret. */
export const developmentClientId = 'keyward-development';

/** The grant type that gives a token for a named subject and asks for no password. */
export const developmentSubjectGrant = 'urn:keyward:grant-type:development-subject';

/**
 * Where the development identity provider is found.
 * @param server - the host and port on which Keyward listens
 * @returns the issuer identifier, such as `http://127.0.0.1:4000/idp`
 */
export function developmentIssuer({ host, port }: { host: string; port: number }): string {
  return `${baseUrl(host, port)}/idp`;
}
