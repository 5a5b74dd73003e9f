import type { ReactNode } from 'preact/compat';

/** A list of facts. */
export const Facts = ({ children }: { readonly children: ReactNode }) => (
  <dl className="facts">{children}</dl>
);

/** One fact, with its name. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
