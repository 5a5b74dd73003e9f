import { insufficientScope } from './refusal.ts';

/** Who is calling, and what they may do. */
export interface Caller {
  readonly issuer: string;
  readonly subject: string;
  readonly scopes: ReadonlySet<string>;
}

/** What every operation needs. */
export const signedIn = ['openid', 'email', 'profile'];

/** What deactivating a key needs. */
export const accountAdmin = ['idp.signin.user.admin', ...signedIn];

/** What verifying a key needs. */
export const keyVerifier = ['keys.verify'];

/**
 * Lets a caller pass who has all these scopes.
 * @throws {Refusal} 403
 */
export function requireScopes({ scopes }: Caller, required: readonly string[]): void {
  const missing = required.filter((scope) => !scopes.has(scope));
  if (missing.length > 0) throw insufficientScope(missing);
}
