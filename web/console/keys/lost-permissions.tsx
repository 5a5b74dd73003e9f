import { type LostPermission, lostOf } from '../plan/grant.ts';
import { useCeiling } from '../plan/use-entitlement.ts';
import { useLanguage } from '../ui/host.ts';

/** The most permissions that the sentence names. */
const named = 4;

/** Names the permissions of a key that the plan does not allow, or no longer allows. */
export function LostPermissions({ permissions }: { readonly permissions: readonly string[] }) {
  const { rich } = useLanguage();
  const lost = lostOf(permissions, useCeiling());
  if (lost.length === 0) return null;
  const names = lost.slice(0, named).map((each, index) => (
    <span key={each.permission}>
      {index > 0 && '; '}
      <Lost {...each} />
    </span>
  ));
  return (
    <p className="lost">
      {rich('key.lost', { permissions: <>{names}</>, others: Math.max(lost.length - named, 0) })}
    </p>
  );
}

/** `billing.refund does not work`, `documents.* works only as documents.read`. */
function Lost({ permission, left }: LostPermission) {
  const { rich } = useLanguage();
  const name = <code>{permission}</code>;
  if (left.length === 0) return rich('key.lost-all', { permission: name });
  const names = left.map((allowed, index) => (
    <span key={allowed}>
      {index > 0 && ', '}
      <code>{allowed}</code>
    </span>
  ));
  return rich('key.lost-part', { permission: name, left: <>{names}</> });
}
