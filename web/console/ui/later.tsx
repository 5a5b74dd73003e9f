import { type ComponentType, lazy } from 'preact/compat';
import { useLanguage } from './host.ts';

function Missing() {
  const { text } = useLanguage();
  return (
    <div className="problem" role="alert">
      <p>{text('common.not-loaded')}</p>
    </div>
  );
}

/** A component whose code loads when it is first shown. After an upgrade of the service, it may be gone. */
export const later = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await load().catch((): ComponentType<Props> => Missing) }));
