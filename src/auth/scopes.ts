import type { IssuerConfig } from '../config/config.ts';
import type { ScopeOverOthers } from '../config/issuers.ts';

/** Those that reach what is the caller's own: every issuer may grant them. */
const ownScopes = {
  openid: 'Who you are at the identity provider.',
  email: 'Your e-mail address.',
  profile: 'Your profile.',
  'idp.signin.user.admin': 'Manage your own account: needed to change your API keys and your private key.',
};

const scopesOverOthers: Record<ScopeOverOthers, string> = {
  'keyward.admin':
    "Find, block and erase anybody's account, end anybody's API keys, and say where events are sent: for operators.",
  'keys.verify': "Verify anybody's API keys: for a provider's backend, not for people.",
};

/** The scopes that this service knows, in its own names (see AUTH_SCOPE_ALIASES for a provider's). */
export const scopeDescriptions = { ...ownScopes, ...scopesOverOthers };

/** The name of a scope that an operation may require. */
export type Scope = keyof typeof scopeDescriptions;

/** What every operation on one's own things requires. */
export const signedIn = ['openid', 'email', 'profile'] as const satisfies Scope[];

/** What an operation that makes, changes or ends a credential requires. */
export const accountAdmin = ['idp.signin.user.admin', ...signedIn] as const satisfies Scope[];

/** What a provider's backend requires to verify API keys. It signs in as itself: nobody's `openid` is asked for. */
export const keyVerifier = ['keys.verify'] as const satisfies Scope[];

/** What an operator requires: whoever runs the service for others. */
export const operator = ['keyward.admin'] as const satisfies Scope[];

/** Whether an issuer may grant a scope. A scope that is not known here is granted by no issuer. */
export const mayGrant = ({ grants }: Pick<IssuerConfig, 'grants'>, scope: string): boolean =>
  Object.hasOwn(ownScopes, scope) || grants.some((granted) => granted === scope);
