import { type ReactNode, useLayoutEffect, useRef } from 'preact/compat';
import { Heading } from './heading.tsx';
import { useHost, useLanguage } from './host.ts';

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
  const { arriveAt, entitle, hasViews, useAccount } = useHost();
  const { organization } = useAccount();
  const { text } = useLanguage();
  const full = organization === undefined ? title : text('common.of', { title, organization });
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    // Another title is another view.
    if (title && heading.current) arriveAt(heading.current);
  }, [title, arriveAt]);
  useLayoutEffect(() => entitle(full), [full, entitle]);
  const Tag = hasViews ? 'main' : 'section';
  return (
    <Tag className="view" part="view">
      <header className="view-header">
        <div>
          {back && <p className="back">{back}</p>}
          <Heading level={1} className="title" part="title" ref={heading} tabIndex={-1}>
            {full}
          </Heading>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {action}
      </header>
      {children}
    </Tag>
  );
}
