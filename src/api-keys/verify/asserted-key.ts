import { organizationOf } from '../../accounts/account-record.ts';
import type { AssertedKey } from '../../operations/context.ts';
import type { Entitlement } from '../../plans/entitlement-of.ts';
import { permissionsWithin } from './grants.ts';
import type { FoundKey } from './verify-secret.ts';

/** The earlier of two times; null: neither is set. */
const earlier = (one: Date | null, other: Date | null): Date | null => {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
};

/** All of a key that its owner, or an operator, can change. A list of texts, because JSON takes longer. */
const stateOf = (found: FoundKey): string =>
  [
    ...[found.name, found.metadata, found.allowedAddresses, found.permissions, found.plan, found.overrides],
    ...[found.rateLimit, found.rateLimitWindow, found.quotaUnits, found.quotaRefill],
  ].join('\n');

/** What an assertion may say about a key that works now. */
export const assertedKeyOf = (
  found: FoundKey,
  { plan, ceiling }: Pick<Entitlement, 'plan' | 'ceiling'>,
): AssertedKey => ({
  keyId: found.id,
  secretId: found.secretId,
  userId: found.account,
  subject: found.subject,
  issuer: found.issuer,
  organization: organizationOf({ kind: found.ownerKind, subject: found.subject }),
  plan,
  scope: permissionsWithin(found.permissions, ceiling),
  endsAt: earlier(found.expiresAt, found.worksUntil),
  state: stateOf(found),
});
