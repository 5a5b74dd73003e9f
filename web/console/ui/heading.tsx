import { type ComponentProps, forwardRef } from 'preact/compat';
import { useHost } from './host.ts';

interface HeadingProps extends Omit<ComponentProps<'h2'>, 'ref'> {
  /** 1 for the title of a view. */
  readonly level: 1 | 2 | 3;
}

/** A heading. In an element it is one level lower: the page around it has a heading of the first. */
export const Heading = forwardRef<HTMLHeadingElement, HeadingProps>(function Heading(
  { level, ...rest },
  ref,
) {
  const { hasViews } = useHost();
  const Tag = `h${hasViews ? level : level + 1}` as 'h2';
  return <Tag {...rest} ref={ref} />;
});
