import { type LostPermission, lostOf } from '../plan/grant.ts';
import { useCeiling } from '../plan/use-entitlement.ts';

/** The most permissions that the sentence names. */
const named = 4;

/** Says what a key was given and may not do, because the plan does not allow it, or does not any more. */
export function LostPermissions({ permissions }: { readonly permissions: readonly string[] }) {
  const lost = lostOf(permissions, useCeiling());
  if (lost.length === 0) return null;
  const others = lost.length - named;
  return (
    <p className="lost">
      Beyond your plan:{' '}
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
