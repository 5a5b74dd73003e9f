import { z } from 'zod';
import { decodeBase64 } from '../../secrets/secret-list.ts';
import {
  developmentServerSecret,
  digestOfServerSecret,
  serverSecretPrefix,
} from '../../secrets/server-secret.ts';
import { isScopeOverOthers, type ScopeOverOthers, scopesOverOthers } from '../issuers.ts';

/** What one secret of a server of the provider may do. */
export interface ServerCredential {
  /** The server's name. Several credentials may have it, so that a secret can be replaced without an outage. */
  readonly name: string;
  readonly scopes: readonly ScopeOverOthers[];
  /** SHA-256 of the secret. */
  readonly digest: Buffer;
}

/** The most credentials: each request of a server is compared with all of them. */
const most = 100;

const namePattern = /^[a-z][a-z0-9-]{0,39}$/;

/** What is wrong with a server's name; undefined if nothing is. */
export const serverNameFault = (name: string): string | undefined =>
  namePattern.test(name)
    ? undefined
    : 'a name must be 1 to 40 of a-z, 0-9 and hyphens, and begin with a letter';

/** What is wrong with the scopes of a server; undefined if nothing is. */
export const serverScopesFault = (scopes: readonly string[]): string | undefined =>
  scopes.length > 0 && scopes.every(isScopeOverOthers)
    ? undefined
    : `the scopes must be one or more of ${scopesOverOthers.join(', ')}, with + between them`;

const digestPrefix = 'sha256-';
const digestBytes = 32;

/** Writes a credential as `NAME:SCOPES:DIGEST`. */
export const writeServerCredential = ({ name, scopes, digest }: ServerCredential): string =>
  `${name}:${scopes.join('+')}:${digestPrefix}${digest.toString('base64url')}`;

/** What is wrong with the digest of an entry. The sentence shows nothing of it: it may be a secret. */
function digestFault(text: string): string | undefined {
  if (text.startsWith(serverSecretPrefix))
    return 'has a secret in place of its digest. Whoever can read this can use the secret: make a new one with npm run credential';
  const digest = text.startsWith(digestPrefix) && decodeBase64(text.slice(digestPrefix.length));
  if (!digest || digest.length !== digestBytes)
    return 'must end with sha256- and a digest in base64, as npm run credential prints it';
  return digest.equals(digestOfServerSecret(developmentServerSecret))
    ? `has the digest of ${developmentServerSecret}, which everybody knows: make a secret with npm run credential`
    : undefined;
}

/** Reads one `NAME:SCOPES:DIGEST`, or says what is wrong with it. */
function parseEntry(entry: string, place: number): ServerCredential | string {
  const [name = '', given = '', ...others] = entry.split(':');
  const digest = others.join(':');
  const scopes = given.split('+');
  // Without its parts in their places, any of them may be the secret.
  if (digest === '') return `entry ${place} must be NAME:SCOPES:DIGEST, as npm run credential prints it`;
  const fault = serverNameFault(name) ?? serverScopesFault(scopes);
  if (fault) return `entry ${place}: ${fault}`;
  const ofDigest = digestFault(digest);
  if (ofDigest) return `entry ${place} (${name}) ${ofDigest}`;
  return {
    name,
    scopes: [...new Set(scopes.filter(isScopeOverOthers))],
    digest: decodeBase64(digest.slice(digestPrefix.length)) ?? Buffer.alloc(0),
  };
}

/** Finds the credentials whose secret already occurred earlier in the list; one sentence for each. */
const repetitions = (list: readonly (ServerCredential | string)[]): string[] =>
  list.flatMap((entry, at) => {
    if (typeof entry === 'string') return [];
    const before = list.findIndex((other) => typeof other !== 'string' && other.digest.equals(entry.digest));
    return before < at ? [`entries ${before + 1} and ${at + 1} have the same digest`] : [];
  });

/**
 * The schema of a list of `NAME:SCOPES:DIGEST`, separated by commas or white space:
 * `"checkout:keys.verify:sha256-…, billing:accounts.entitle:sha256-…"`. No fault shows a digest or a secret.
 */
export const serverCredentials = z.string().transform((text, context): readonly ServerCredential[] => {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const parsed = entries.map((entry, at) => parseEntry(entry, at + 1));
  const faults = [...parsed.filter((entry) => typeof entry === 'string'), ...repetitions(parsed)];
  if (entries.length === 0) faults.push('must have at least one NAME:SCOPES:DIGEST');
  if (entries.length > most) faults.push(`must have at most ${most} entries`);
  for (const fault of faults) context.addIssue(fault);
  return faults.length > 0 ? z.NEVER : parsed.filter((entry) => typeof entry !== 'string');
});
