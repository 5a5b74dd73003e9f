import { type ReactNode, useLayoutEffect, useRef } from 'preact/compat';
import { settings } from '../../sign-in/settings.ts';

interface ViewProps {
  readonly title: string;
  /** What this view is for, in a sentence. */
  readonly lead?: ReactNode;
  /** The link to where this view belongs. */
  readonly back?: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** One of the console's views. It sets the title of the page, and its heading takes the focus. */
export function View({ title, lead, back, action, children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} · ${settings.providerName ?? 'Keyward'}`;
    heading.current?.focus();
  }, [title]);
  return (
    <main>
      <header className="view-header">
        <div>
          {back && <p className="back">{back}</p>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </main>
  );
}
