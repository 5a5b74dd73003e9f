/** The mark after the part of a page that a command writes. */
const end = '<!-- end -->';

/**
 * Replaces the part of a page between its two marks.
 * @param command the command that writes the part; the mark before the part names it: `npm run schema`
 * @throws {Error} if the page lacks the marks
 */
export function fillPage(page: string, command: string, part: string): string {
  const begin = `<!-- written by ${command} -->`;
  const [before, rest] = page.split(begin);
  const [, ...after] = rest?.split(end) ?? [];
  if (after.length === 0) throw new Error(`A page lacks ${begin}, or ${end} after it.`);
  return `${before}${begin}\n\n${part}\n\n${end}${after.join(end)}`;
}

/** A row of a Markdown table: `["a", "b"]` → `"| a | b |"`. */
export const tableRow = (texts: readonly string[]): string =>
  `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;

/** The head of a Markdown table. */
export const tableHead = (columns: readonly string[]): string =>
  `${tableRow(columns)}\n|${'---|'.repeat(columns.length)}`;
