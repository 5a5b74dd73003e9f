import type { IssuerConfig } from '../config/config.ts';
import type { OwnScope, ScopeOverOthers } from '../config/issuers.ts';

/** The scopes for the caller's own data. Every issuer may grant them. */
const ownScopes: Record<OwnScope, string> = {
  openid: 'Who you are at the identity provider.',
  email: 'Your e-mail address.',
  profile: 'Your profile.',
  'idp.signin.user.admin': 'Manage your own account: needed to change your API keys and your private key.',
};

const scopesOverOthers: Record<ScopeOverOthers, string> = {
  'keyward.admin':
    "Find, block and erase anybody's account, end anybody's API keys, and say where events are sent: for operators.",
  'keyward.audit':
    "Read everybody's audit events, and nothing else: for auditors, and for a server that collects them.",
  'keys.verify': "Verify anybody's API keys: for a provider's backend, not for people.",
  'keys.import': "Bring anybody's API keys from another service: for a provider's backend, not for people.",
  'accounts.act': "Do for anybody what they can do for themselves: for a provider's backend, not for people.",
  'accounts.entitle': "Say what anybody's account may have: for a provider's billing server, not for people.",
};

/** All scopes that this service knows, in its own names (AUTH_SCOPE_ALIASES maps a provider's names to them). */
export const scopeDescriptions = { ...ownScopes, ...scopesOverOthers };

/** The name of a scope that an operation may require. */
export type Scope = keyof typeof scopeDescriptions;

/** The scopes that every operation on the caller's own data requires. */
export const signedIn = ['openid', 'email', 'profile'] as const satisfies Scope[];

/** The scopes of an operation that makes, changes or ends a credential. */
export const accountAdmin = ['idp.signin.user.admin', ...signedIn] as const satisfies Scope[];

/**
 * The scope with which a provider's backend verifies API keys. A backend signs in as itself, so no person's `openid`
 * is necessary.
 */
export const keyVerifier = ['keys.verify'] as const satisfies Scope[];

/** The scope with which a provider's backend imports API keys of another service. */
export const keyImporter = ['keys.import'] as const satisfies Scope[];

/** The scope with which a provider's backend acts for accounts. It takes the place of the scopes for one's own data. */
export const accountActor = ['accounts.act'] as const satisfies Scope[];

/** The scope of operators, who run the service for others. */
export const operator = ['keyward.admin'] as const satisfies Scope[];

/** The scope with which auditors read the audit events of all accounts. Operators may do the same. */
export const auditor = ['keyward.audit'] as const satisfies Scope[];

/** The scope with which a provider's billing server sets what accounts may have. Operators may do the same. */
export const accountEntitler = ['accounts.entitle'] as const satisfies Scope[];

/** Whether a scope is one for the caller's own data. */
export const isOwnScope = (scope: string): boolean => Object.hasOwn(ownScopes, scope);

/** Whether an issuer may grant a scope. No issuer may grant an unknown scope. */
export const mayGrant = ({ grants }: Pick<IssuerConfig, 'grants'>, scope: string): boolean =>
  isOwnScope(scope) || grants.some((granted) => granted === scope);
