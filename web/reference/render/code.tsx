import { highlight } from './highlight.ts';

interface CodeProps {
  readonly text: string;
  readonly language: 'curl' | 'typescript' | 'python' | 'go' | 'json';
}

/** Code that scrolls within itself, also by the keyboard. */
export const Code = ({ text, language }: CodeProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus (WCAG 2.1.1).
  <pre tabIndex={0} class={language}>
    <code
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the text is our own, and escaped.
      dangerouslySetInnerHTML={{ __html: highlight(text, language) }}
    />
  </pre>
);
