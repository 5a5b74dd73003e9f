import { z } from 'zod';
import { json, names, secureUrl, split } from './kinds.ts';

/** The signature algorithms that may be trusted: all asymmetric (RFC 7518; Ed25519 by RFC 8037 and by RFC 9864). */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** The name of a signature algorithm, as in a token's `alg`. */
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/** Names of signature algorithms, with commas between them. */
export const algorithms = z
  .string()
  .transform(split)
  .refine((list) => list.length > 0, 'must name at least one algorithm')
  .refine(
    (list): list is SignatureAlgorithm[] =>
      list.every((name) => z.enum(signatureAlgorithms).safeParse(name).success),
    `may only name ${signatureAlgorithms.join(', ')}`,
  );

/** A provider's own scope names, each to those of ours that it stands for. */
export const scopeAliases = z
  .string('must be a text')
  .transform(split)
  .refine(
    (pairs) => pairs.every((pair) => /^[^=\s]+=[^=\s]+$/.test(pair)),
    "must be pairs of the provider's name and ours: provider.name=our.name",
  )
  .transform((pairs) => {
    const named = pairs.map((pair) => pair.split('=') as [string, string]);
    const ours = (theirs: string) => named.filter(([name]) => name === theirs).map(([, scope]) => scope);
    return new Map(named.map(([theirs]) => [theirs, ours(theirs)]));
  });

/**
 * The scopes that reach what belongs to others, whichever issuer they are of. Of several issuers, one grants those alone
 * that are named for it.
 */
export const scopesOverOthers = ['keyward.admin', 'keys.verify'] as const;

/** The name of a scope that reaches what belongs to others. */
export type ScopeOverOthers = (typeof scopesOverOthers)[number];

const grants = names.refine(
  (list): list is ScopeOverOthers[] => list.every((name) => scopesOverOthers.some((scope) => scope === name)),
  `may only name ${scopesOverOthers.join(', ')}`,
);

const members = {
  issuer: secureUrl,
  jwksUri: secureUrl.optional(),
  audience: names.default([]),
  clientId: names.default([]),
  scopeAliases: scopeAliases.default(new Map()),
  grants: grants.optional(),
};

// A name that was given is not repeated: it may be a secret that was put in the wrong place.
const unknownMember = `may only have the members ${Object.keys(members).join(', ')}`;

const issuer = z
  .strictObject(members, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknownMember : 'must be an object'),
  })
  .refine(
    ({ audience, clientId }) => audience.length + clientId.length > 0,
    'needs an audience or a clientId: else a token for any other service would do',
  );

/** Several issuers, as a JSON list. */
export const issuers = json('must be a JSON list of issuers')
  .pipe(z.array(issuer, 'must be a JSON list of issuers').min(1, 'must name at least one issuer'))
  .refine(
    (list) => new Set(list.map((each) => each.issuer)).size === list.length,
    'must name each issuer once',
  );
