import { type ReactNode, useLayoutEffect, useRef } from 'preact/compat';
import { useHost } from './host.ts';

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
  const { setTitle } = useHost();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    setTitle(title);
    heading.current?.focus();
  }, [title, setTitle]);
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
