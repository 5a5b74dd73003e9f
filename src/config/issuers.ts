import { z } from 'zod';
import { issuerUrl, json, listOf, names, objectOf, secureUrl } from './values/kinds.ts';

/** The supported signature algorithms, all asymmetric (RFC 7518; Ed25519 by RFC 8037 and by RFC 9864). */
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

/** A comma-separated list of signature algorithms. */
export const algorithms = listOf(
  (name) => signatureAlgorithms.some((each) => each === name),
  `may only name ${signatureAlgorithms.join(', ')}`,
)
  .refine((list) => list.length > 0, 'must name at least one algorithm')
  .transform((list) => list as readonly SignatureAlgorithm[]);

/**
 * Pairs of a provider's scope name and this service's scope name: `provider.name=our.name`. A provider's name may
 * stand for several scopes.
 */
export const scopeAliases = listOf(
  (pair) => /^[^=\s]+=[^=\s]+$/.test(pair),
  "must be pairs of the provider's name and ours: provider.name=our.name",
).transform((pairs) => {
  const named = pairs.map((pair) => pair.split('=') as [string, string]);
  const ours = (theirs: string) => named.filter(([name]) => name === theirs).map(([, scope]) => scope);
  return new Map(named.map(([theirs]) => [theirs, ours(theirs)]));
});

/**
 * The scopes over other people's data. If there are several issuers, each of them grants only the scopes in its
 * `grants`.
 */
export const scopesOverOthers = ['keyward.admin', 'keys.verify', 'accounts.entitle'] as const;

/** The name of a scope over other people's data. */
export type ScopeOverOthers = (typeof scopesOverOthers)[number];

const grants = names.refine(
  (list): list is readonly ScopeOverOthers[] =>
    list.every((name) => scopesOverOthers.some((scope) => scope === name)),
  `may only name ${scopesOverOthers.join(', ')}`,
);

const issuer = objectOf({
  issuer: issuerUrl,
  jwksUri: secureUrl.optional(),
  audience: names.default([]),
  clientId: names.default([]),
  scopeAliases: scopeAliases.default(new Map()),
  grants: grants.optional(),
}).refine(
  ({ audience, clientId }) => audience.length + clientId.length > 0,
  'needs an audience or a clientId: else a token for any other service would do',
);

/** A JSON list of issuers. */
export const issuers = json('must be a JSON list of issuers')
  .pipe(z.array(issuer, 'must be a JSON list of issuers').min(1, 'must name at least one issuer'))
  .refine(
    (list) => new Set(list.map((each) => each.issuer)).size === list.length,
    'must name each issuer once',
  );
