import type { ComponentChildren } from 'preact';

/** What a service may have or lack. A part of the page that needs it stands between two comments with this name. */
export type Condition = 'operators' | 'leak-reports' | 'bearer-keys';

// No text of the description has these characters. They become comments, which Preact cannot render.
const [opening, ending, closing] = ['\u{e010}', '\u{e011}', '\u{e012}'];
const marks = new RegExp(`([${opening}${ending}])([a-z-]+)${closing}`, 'gu');

interface OnlyProps {
  /** Undefined: on each service. */
  readonly when: Condition | undefined;
  readonly children: ComponentChildren;
}

/** A part of the page that a service removes if it lacks the condition. These parts do not contain each other. */
export const Only = ({ when, children }: OnlyProps) => (
  <>
    {when && `${opening}${when}${closing}`}
    {children}
    {when && `${ending}${when}${closing}`}
  </>
);

/** Turns the marks of {@link Only} into comments. */
export const toComments = (html: string): string =>
  html.replace(marks, (_, mark: string, name: string) => `<!--${mark === opening ? '' : '/'}${name}-->`);
