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

/** What may be said about found keys: a key that is remembered need not be described each time. */
const described = new WeakMap<FoundKey, { readonly entitlement: Entitlement; readonly key: AssertedKey }>();

/** What an assertion may say about a key that works now. */
export function assertedKeyOf(found: FoundKey, entitlement: Entitlement): AssertedKey {
  const known = described.get(found);
  if (known?.entitlement === entitlement) return known.key;
  const key = describe(found, entitlement);
  described.set(found, { entitlement, key });
  return key;
}

const describe = (found: FoundKey, { plan, ceiling }: Entitlement): AssertedKey => ({
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
