import { isIPv6 } from 'node:net';

/** The `aud` of the development identity provider's access tokens. */
export const developmentAudience = 'keyward';

/** The one client of the development identity provider; it is public and has no secret. */
export const developmentClientId = 'keyward-development';

/** The grant type that gives a token for a named subject and asks for no password. */
export const developmentSubjectGrant = 'urn:keyward:grant-type:development-subject';

// What listens on every address is reached on this machine's own.
const wildcards = new Set(['0.0.0.0', '::']);

/**
 * Where the development identity provider is found.
 * @param server - the host and port on which Keyward listens
 * @returns the issuer identifier, such as `http://127.0.0.1:4000/idp`
 */
export function developmentIssuer({ host, port }: { host: string; port: number }): string {
  const reachable = wildcards.has(host) ? '127.0.0.1' : host;
  return new URL(`http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}/idp`).href;
}
