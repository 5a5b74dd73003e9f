import { useLanguage } from './host.ts';
import { useNow } from './use-now.ts';

/** A time: how long ago or ahead, and the exact date. */
export function Moment({ at }: { readonly at: string }) {
  const now = useNow();
  const { absolute, relative } = useLanguage();
  return (
    <time dateTime={at} className="moment">
      <span>{relative(new Date(at), now)}</span> <span className="exact">{absolute(new Date(at))}</span>
    </time>
  );
}
