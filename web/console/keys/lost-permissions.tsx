import { type LostPermission, lostOf } from '../plan/grant.ts';
import { useCeiling } from '../plan/use-entitlement.ts';

/** The most permissions that the sentence names. */
const named = 4;

/** Names the permissions of a key that the plan does not allow, or no longer allows. */
export function LostPermissions({ permissions }: { readonly permissions: readonly string[] }) {
  const lost = lostOf(permissions, useCeiling());
  if (lost.length === 0) return null;
  const others = lost.length - named;
  return (
    <p className="lost">
      Limited by your plan:{' '}
      {lost.slice(0, named).map((each, index) => (
        <span key={each.permission}>
          {index > 0 && '; '}
          <Lost {...each} />
        </span>
      ))}
      {others > 0 && `; and ${others} more`}.
    </p>
  );
}

/** `billing.refund does not work`, `documents.* works only as documents.read`. */
const Lost = ({ permission, left }: LostPermission) => (
  <>
    <code>{permission}</code>
    {left.length === 0 ? ' does not work' : ' works only as '}
    {left.map((allowed, index) => (
      <span key={allowed}>
        {index > 0 && ', '}
        <code>{allowed}</code>
      </span>
    ))}
  </>
);
