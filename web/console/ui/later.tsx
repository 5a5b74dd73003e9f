import { type ComponentType, lazy } from 'preact/compat';
import type { LaterPart } from '../../messages/language.ts';
import { useLanguage } from './host.ts';

function Missing() {
  const { text } = useLanguage();
  return (
    <div className="problem" role="alert">
      <p>{text('common.not-loaded')}</p>
    </div>
  );
}

/**
 * A component whose code loads when it is first shown, with parts of the texts. After an upgrade of the service, both
 * may be gone.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  ...parts: readonly LaterPart[]
): ComponentType<Props> {
  const loadOnce = async () => ({ default: await load().catch((): ComponentType<Props> => Missing) });
  const Loaded = lazy(loadOnce);
  return function Later(props: Props) {
    const { ready } = useLanguage();
    const states = parts.map(ready);
    if (states.includes(false)) return <Missing />;
    const loading = states.find((state) => state !== true);
    if (loading === undefined) return <Loaded {...props} />;
    // Meanwhile, the code loads too.
    void loadOnce();
    throw loading;
  };
}
