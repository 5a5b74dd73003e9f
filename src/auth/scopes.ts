/** The scopes that this service knows, in its own names (see AUTH_SCOPE_ALIASES for a provider's). */
export const scopeDescriptions = {
  openid: 'Who you are at the identity provider.',
  email: 'Your e-mail address.',
  profile: 'Your profile.',
  'idp.signin.user.admin': 'Manage your own account: needed to change API keys.',
} as const;

/** The name of a scope that an operation may require. */
export type Scope = keyof typeof scopeDescriptions;

/** What every operation on one's own things requires. */
export const signedIn = ['openid', 'email', 'profile'] as const satisfies Scope[];

/** What an operation that ends a credential requires. */
export const accountAdmin = ['idp.signin.user.admin', ...signedIn] as const satisfies Scope[];
