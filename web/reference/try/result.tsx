import type { Exchange } from './send.ts';

const Text = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <figure>
    <figcaption>{title}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus (WCAG 2.1.1). */}
    <pre tabIndex={0}>{text}</pre>
  </figure>
);

/** A response, and the request as a command. All of it is text, whatever the response contains. */
export const Result = ({ exchange: { status, headers, body, curl } }: { readonly exchange: Exchange }) => (
  <div className="result">
    <Text title="Response" text={body || '(no body)'} />
    <details>
      <summary>Headers of the response</summary>
      <Text title={status} text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} />
    </details>
    <Text title="The request, with curl" text={curl} />
  </div>
);
