import { type ReactNode, useLayoutEffect, useRef } from 'preact/compat';
import { Heading } from './heading.tsx';
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

/** One of the console's views. The host then decides whether its heading takes the focus. */
export function View({ title, lead, back, action, children }: ViewProps) {
  const { arriveAt, hasViews } = useHost();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (heading.current) arriveAt(title, heading.current);
  }, [title, arriveAt]);
  const Tag = hasViews ? 'main' : 'section';
  return (
    <Tag className="view" part="view">
      <header className="view-header">
        <div>
          {back && <p className="back">{back}</p>}
          <Heading level={1} className="title" part="title" ref={heading} tabIndex={-1}>
            {title}
          </Heading>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </Tag>
  );
}
