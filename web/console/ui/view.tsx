import { type ReactNode, useLayoutEffect, useRef } from 'preact/compat';

interface ViewProps {
  readonly title: string;
  /** What this view is for, in a sentence. */
  readonly lead: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** One of the console's views. It sets the title of the page, and its heading takes the focus. */
export function View({ title, lead, action, children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} · Keyward`;
    heading.current?.focus();
  }, [title]);
  return (
    <main>
      <header className="view-header">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <p className="lead">{lead}</p>
        </div>
        {action}
      </header>
      {children}
    </main>
  );
}
