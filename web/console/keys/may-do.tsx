import { useLanguage } from '../ui/host.ts';
import type { ApiKey } from './api-key.ts';
import { mayDoOf } from './offer-permissions.ts';

/** What a key may do, in full. */
export function MayDo({ permissions }: Pick<ApiKey, 'permissions'>) {
  const { text } = useLanguage();
  const may = mayDoOf(permissions);
  if (may === 'everything') return <>{text('keys.everything')}</>;
  if (may === 'nothing') return <>{text('key.nothing-in-full')}</>;
  return (
    <span className="codes">
      {permissions.map((permission) => (
        <code key={permission}>{permission}</code>
      ))}
    </span>
  );
}
