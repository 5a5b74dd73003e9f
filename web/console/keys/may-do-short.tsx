import { useLanguage } from '../ui/host.ts';
import type { ApiKey } from './api-key.ts';
import { mayDoOf } from './offer-permissions.ts';

/** What a key may do, in two short lines: one other permission is named, more are counted. */
export function MayDoShort({ permissions }: Pick<ApiKey, 'permissions'>) {
  const { text, rich } = useLanguage();
  const may = mayDoOf(permissions);
  if (may === 'everything') return <>{text('keys.everything')}</>;
  const [first, ...others] = permissions;
  if (first === undefined) return <>{text('keys.nothing')}</>;
  const [second] = others;
  const names = others.join(', ');
  return (
    <>
      <code>{first}</code>
      {second !== undefined && (
        <small title={names}>
          {others.length === 1
            ? text('keys.and-one', { permission: second })
            : rich('keys.and-more', {
                count: others.length,
                permissions: names,
                hidden: (content) => <span className="visually-hidden">{content}</span>,
              })}
        </small>
      )}
    </>
  );
}
