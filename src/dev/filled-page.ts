/** What stands after a part of a page that is written by a command. */
const end = '<!-- end -->';

/**
 * A page with the part between its two marks written anew.
 * @param command what writes it, as the mark before the part names it: `npm run schema`
 * @throws {Error} where the page has no such marks
 */
export function fillPage(page: string, command: string, part: string): string {
  const begin = `<!-- written by ${command} -->`;
  const [before, rest] = page.split(begin);
  const [, ...after] = rest?.split(end) ?? [];
  if (after.length === 0) throw new Error(`A page lacks ${begin}, or ${end} after it.`);
  return `${before}${begin}\n\n${part}\n\n${end}${after.join(end)}`;
}

/** A row of a table in Markdown. */
export const tableRow = (texts: readonly string[]): string =>
  `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;

/** The head of a table in Markdown. */
export const tableHead = (columns: readonly string[]): string =>
  `${tableRow(columns)}\n|${'---|'.repeat(columns.length)}`;
