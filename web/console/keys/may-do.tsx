import type { ApiKey } from './api-key.ts';
import { mayDoOf } from './offer-permissions.ts';

/** What a key may do, in full. */
export function MayDo({ permissions }: Pick<ApiKey, 'permissions'>) {
  const may = mayDoOf(permissions);
  if (may === 'everything') return <>Everything</>;
  if (may === 'nothing') return <>Nothing special: only requests that need no permission</>;
  return (
    <span className="codes">
      {permissions.map((permission) => (
        <code key={permission}>{permission}</code>
      ))}
    </span>
  );
}

/** What a key may do, in two short lines: one other permission is named, more are counted. */
export function MayDoShort({ permissions }: Pick<ApiKey, 'permissions'>) {
  const may = mayDoOf(permissions);
  if (may === 'everything') return <>Everything</>;
  const [first, ...others] = permissions;
  if (first === undefined) return <>Nothing special</>;
  return (
    <>
      <code>{first}</code>
      {others.length > 0 && (
        <small title={others.join(', ')}>
          and {others.length === 1 ? others[0] : `${others.length} more`}
          {others.length > 1 && <span className="visually-hidden">: {others.join(', ')}</span>}
        </small>
      )}
    </>
  );
}
