import { timingSafeEqual } from 'node:crypto';
import type { ServerCredential } from '../config/values/server-credentials.ts';
import type { RequestHeaders } from '../http/exchange.ts';
import { credentialsOf } from '../http/read-request.ts';
import { decodeBase64 } from '../secrets/secret-list.ts';
import { digestOfServerSecret, serverSecretPrefix } from '../secrets/server-secret.ts';
import type { AccessToken } from './access-token.ts';

/** Stands for an issuer in the rights of a server. No identity provider can have this name, because it is no URL. */
const serverIssuer = 'urn:keyward:server';

/** What a server has sent to sign in. */
export interface ServerSignIn {
  /** The name by which it signs in; undefined: the secret alone says who it is. */
  readonly name: string | undefined;
  readonly secret: string;
}

/** Keeps a byte order mark, so that a name with one is another name. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads `NAME:SECRET` of HTTP Basic (RFC 7617). Clients of OAuth encode both as in a form (RFC 6749, section 2.3.1);
 * neither a name nor a secret has a character that would mean something else then. What cannot be read is nobody's name
 * and secret.
 */
function readBasic(text: string): ServerSignIn {
  try {
    const decoded = decoder.decode(decodeBase64(text) ?? new Uint8Array());
    const colon = decoded.indexOf(':');
    const [name, secret] = [decoded.slice(0, Math.max(colon, 0)), decoded.slice(colon + 1)];
    return { name: decodeURIComponent(name), secret: decodeURIComponent(secret) };
  } catch {
    return { name: '', secret: '' };
  }
}

/**
 * Reads what a server signs in with: its secret as a bearer token (RFC 6750), or its name and its secret by HTTP Basic
 * (RFC 7617).
 * @returns undefined if the request has neither
 */
export function readServerSignIn(headers: RequestHeaders): ServerSignIn | undefined {
  const { scheme, text } = credentialsOf(headers);
  if (scheme === 'basic') return readBasic(text);
  return scheme === 'bearer' && text.startsWith(serverSecretPrefix)
    ? { name: undefined, secret: text }
    : undefined;
}

/** The rights of a server. They are the same object at each request, and never expire. */
const rightsOf = ({ name, scopes }: ServerCredential): AccessToken => ({
  issuer: serverIssuer,
  subject: name,
  server: name,
  scopes: new Set<string>(scopes),
  expiresAt: Number.POSITIVE_INFINITY,
});

/** Finds the rights of a server by what it has sent; undefined: it has no such name or secret. */
export type FindServer = (signIn: ServerSignIn) => AccessToken | undefined;

/**
 * Makes a search for servers. Each search does the same, whatever was sent: it compares the digest of the secret with
 * all digests, in a time that does not depend on them. A text without the beginning of a server's secret is none: a
 * digest that somebody made of an empty text or of a word lets nobody in.
 */
export function createFindServer(credentials: readonly ServerCredential[]): FindServer {
  const servers = credentials.map((credential) => ({ ...credential, rights: rightsOf(credential) }));
  return ({ name, secret }) => {
    const digest = digestOfServerSecret(secret);
    const isSecretOfServer = secret.startsWith(serverSecretPrefix);
    let found: AccessToken | undefined;
    for (const server of servers) {
      const isSecret = timingSafeEqual(server.digest, digest);
      const isName = name === undefined || name === server.name;
      if (isSecret && isName && isSecretOfServer) found = server.rights;
    }
    return found;
  };
}
