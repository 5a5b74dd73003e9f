import { type ComponentType, lazy } from 'preact/compat';

const Missing = () => (
  <div className="problem" role="alert">
    <p>A part of this page could not be loaded. Reload the page and try again.</p>
  </div>
);

/** A component whose code loads when it is first shown. After an upgrade of the service, it may be gone. */
export const later = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await load().catch((): ComponentType<Props> => Missing) }));
