import { organizationOf } from '../../accounts/account-record.ts';
import type { AssertedKey, OperationServices } from '../../operations/context.ts';
import type { Entitlement } from '../../plans/entitlement-of.ts';
import { permissionsWithin } from './grants.ts';
import type { FoundKey } from './verify-secret.ts';

type Services = Pick<OperationServices, 'doorGrace'>;

/** The end of the grace of a key that is accepted while the database is away, to the second; null: it is there. */
function endOfGrace({ staleSince }: FoundKey, { doorGrace }: Services): Date | null {
  if (staleSince === undefined || !doorGrace) return null;
  const left = doorGrace.usableUntil(staleSince) - performance.now();
  return new Date(Math.floor((Date.now() + left) / 1000) * 1000);
}

/** The earliest of some times; null: none is set. */
const earliest = (times: readonly (Date | null)[]): Date | null =>
  times.reduce((first, time) => (first === null || (time !== null && time < first) ? time : first), null);

/** What of a key an owner or an operator can change, and an assertion does not say. */
const stateOf = (found: FoundKey): AssertedKey['state'] => [
  found.name,
  found.permissions,
  found.metadata,
  found.allowedAddresses,
  found.rateLimit,
  found.rateLimitWindow,
  found.quotaUnits,
  found.quotaRefill,
  found.plan,
  found.overrides,
];

/** What an assertion may say about a key that works now. */
export const assertedKeyOf = (
  found: FoundKey,
  { plan, ceiling }: Entitlement,
  services: Services,
): AssertedKey => ({
  keyId: found.id,
  secretId: found.secretId,
  userId: found.account,
  subject: found.subject,
  issuer: found.issuer,
  organization: organizationOf({ kind: found.ownerKind, subject: found.subject }),
  plan,
  scope: permissionsWithin(found.permissions, ceiling),
  endsAt: earliest([found.expiresAt, found.worksUntil, endOfGrace(found, services)]),
  state: stateOf(found),
});
