import { Marked } from 'marked';

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

// Descriptions have code, paragraphs and links, and no HTML.
const marked = new Marked({ renderer: { html: ({ text }) => escapeHtml(text) } });

interface MarkdownProps {
  readonly text: string | undefined;
}

/** A text of one or more paragraphs. */
export const Markdown = ({ text }: MarkdownProps) =>
  text ? (
    <div
      class="prose"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the text is our own, and its HTML is escaped.
      dangerouslySetInnerHTML={{ __html: marked.parse(text, { async: false }).trim() }}
    />
  ) : null;

/** A text within a line. */
export const MarkdownLine = ({ text }: MarkdownProps) =>
  text ? (
    <span
      // biome-ignore lint/security/noDangerouslySetInnerHtml: as above.
      dangerouslySetInnerHTML={{ __html: marked.parseInline(text, { async: false }) }}
    />
  ) : null;
