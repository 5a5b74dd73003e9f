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
export const scopesOverOthers = [
  'keyward.admin',
  'keyward.audit',
  'keys.verify',
  'keys.import',
  'accounts.act',
  'accounts.entitle',
] as const;

/** The name of a scope over other people's data. */
export type ScopeOverOthers = (typeof scopesOverOthers)[number];

/** Whether a name is one of a scope over other people's data. */
export const isScopeOverOthers = (name: string): name is ScopeOverOthers =>
  scopesOverOthers.some((scope) => scope === name);

const grants = names.refine(
  (list): list is readonly ScopeOverOthers[] => list.every(isScopeOverOthers),
  `may only name ${scopesOverOthers.join(', ')}`,
);

/** The scopes for a person's own data, which every issuer may grant. */
export const ownScopes = ['openid', 'email', 'profile', 'idp.signin.user.admin'] as const;

/** The name of a scope for a person's own data. */
export type OwnScope = (typeof ownScopes)[number];

/** The scopes of a token that carries no scope claim. */
export const people = names.refine(
  (list): list is readonly OwnScope[] => list.every((name) => ownScopes.some((scope) => scope === name)),
  `may only name ${ownScopes.join(', ')}: nobody gets a scope over others without a claim`,
);

/** The names of claims: `scope`, or of a member of one, `firebase.sign_in_provider`. */
const isClaim = (name: string): boolean => name.length <= 200 && name.trim() === name && name !== '';

/** The claims that grant scopes. */
export const scopeClaims = names
  .refine((list) => list.length > 0, 'must name at least one claim')
  .refine((list) => list.every(isClaim), 'must be names of claims, such as scope, scp, roles, permissions');

/** What claims are required by: a text, a number, true or false, or null if the claim must be missing. */
export type RequiredValue = string | number | boolean | null;

const requiredValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const wantedRequirement =
  'must be an object: the name of each claim, and its value or a list of values (null: the claim is missing)';

/** The claims that a token must have, each with its accepted values. */
export const requirements = z
  .record(z.string(), z.union([requiredValue.transform((one) => [one]), z.array(requiredValue).min(1)]), {
    error: wantedRequirement,
  })
  .refine((claims) => Object.keys(claims).every(isClaim), wantedRequirement)
  .transform((claims): ReadonlyMap<string, readonly RequiredValue[]> => new Map(Object.entries(claims)));

/** Who may change what an organisation owns, if everyone may who belongs to it. */
const everyone = 'everyone';

const roles = z
  .array(z.string().min(1), 'must be a list of roles')
  .min(1, 'must name at least one role')
  .max(100, 'must name at most 100 roles');

const claimPath = z.string('must be the name of a claim').refine(isClaim, 'must be the name of a claim');

/**
 * How an issuer's tokens name the organisations of a person. A path is the name of a claim, or of a member of one:
 * `o.id`. In `roles` and `name`, `*` is what `claim` has for an organisation, if that is an object by the organisations'
 * ids: `*.role`.
 */
export const organization = objectOf({
  claim: claimPath,
  roles: claimPath.optional(),
  manage: z.union(
    [z.literal(everyone).transform(() => undefined), roles],
    `must be a list of roles, or "${everyone}"`,
  ),
  read: roles.optional(),
  name: claimPath.optional(),
})
  .refine(
    ({ manage, read, roles: path }) => path !== undefined || (manage === undefined && read === undefined),
    {
      path: ['roles'],
      message: `must name the claim of the roles, unless manage is "${everyone}" and there is no read`,
    },
  )
  .readonly();

/**
 * How an issuer's tokens name the organisations of a person, and what their roles allow. `manage`: the roles that may
 * change things; undefined: every member may. `read`: the roles that may see things; undefined: every member may.
 */
export type OrganizationConfig = z.infer<typeof organization>;

/** The kinds of tokens: access tokens (RFC 9068), or ID tokens (OpenID Connect Core, section 2). */
export const tokenKinds = z.enum(['access', 'id'], 'must be "access" or "id"');

/** The audience of an issuer whose tokens are all for one application. */
export const anyAudience = 'any';

/**
 * Hosts of issuers whose tokens are for applications of anybody, or of a whole organisation: a token without a checked
 * audience may come from any of these.
 */
const sharedHosts = [
  ...['accounts.google.com', 'appleid.apple.com', 'facebook.com', 'www.facebook.com', 'limited.facebook.com'],
  ...['login.microsoftonline.com', 'login.microsoftonline.us', 'login.partner.microsoftonline.cn'],
  ...['sts.windows.net', 'sts.chinacloudapi.cn', 'sts.microsoftonline.us', 'login.live.com'],
  ...['token.actions.githubusercontent.com', 'gitlab.com', 'api.bitbucket.org', 'agent.buildkite.com'],
  ...['oidc.circleci.com', 'app.terraform.io', 'vstoken.dev.azure.com', 'oidc.vercel.com'],
  ...['www.linkedin.com', 'slack.com', 'api.login.yahoo.com', 'login.salesforce.com', 'test.salesforce.com'],
  ...['id.twitch.tv', 'access.line.me', 'discord.com', 'www.paypal.com', 'www.paypalobjects.com'],
];

/** Issuers that share a host with issuers of one application each. */
const sharedIssuers = ['https://api.workos.com/'];

const isShared = (issuer: string): boolean => {
  const { hostname = '', href = '' } = URL.parse(issuer) ?? {};
  const isOnHost = sharedHosts.some((shared) => hostname === shared || hostname.endsWith(`.${shared}`));
  return isOnHost || sharedIssuers.includes(href);
};

/** The settings of an issuer that say whose tokens it accepts. */
interface Acceptance {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly clientId: readonly string[];
  readonly authorizedParties: readonly string[];
  readonly tokens: z.infer<typeof tokenKinds>;
}

/**
 * What is wrong with whose tokens an issuer accepts.
 * @returns the rest of a sentence about the audience; undefined if nothing is wrong
 */
export function audienceFault(given: Acceptance): string | undefined {
  const { issuer, audience, clientId, authorizedParties, tokens } = given;
  if (audience.includes(anyAudience) && audience.length > 1)
    return `must be "${anyAudience}" alone, or a list`;
  if (audience.includes(anyAudience) && isShared(issuer))
    return `must not be "${anyAudience}" for an issuer that many applications share: their tokens would be accepted`;
  if (tokens === 'id' && (audience.length === 0 || audience.includes(anyAudience)))
    return 'must name the audiences of ID tokens: else a token for any other application would do';
  if (audience.length + clientId.length + authorizedParties.length === 0)
    return 'or a clientId or authorizedParties must be given: else a token for any other service would do';
  return undefined;
}

/** The claims that grant scopes unless an issuer names others (RFC 9068; `scp` of Entra and Okta). */
const usualScopeClaims: readonly string[] = ['scope', 'scp'];

/** How an issuer's tokens are read that has none of the settings for issuers of another kind. */
export const plainIssuer = {
  authorizedParties: [],
  isForOneApplication: false,
  givesIdTokens: false,
  requiredClaims: new Map<string, readonly RequiredValue[]>(),
  scopeClaims: usualScopeClaims,
  people: [],
  organization: undefined,
} as const;

const issuer = objectOf({
  issuer: issuerUrl,
  jwksUri: secureUrl.optional(),
  audience: names.default([]),
  clientId: names.default([]),
  authorizedParties: names.default([]),
  tokens: tokenKinds.default('access'),
  scopeClaims: scopeClaims.default(usualScopeClaims),
  scopeAliases: scopeAliases.default(new Map()),
  people: people.default([]),
  require: requirements.default(new Map()),
  organization: organization.optional(),
  grants: grants.optional(),
}).superRefine((given, context) => {
  const fault = audienceFault(given);
  if (fault) context.addIssue({ code: 'custom', path: ['audience'], message: fault });
});

/** A JSON list of issuers. */
export const issuers = json('must be a JSON list of issuers')
  .pipe(z.array(issuer, 'must be a JSON list of issuers').min(1, 'must name at least one issuer'))
  .refine(
    (list) => new Set(list.map((each) => each.issuer)).size === list.length,
    'must name each issuer once',
  );
