/** The median. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** The median of what is known; undefined where nothing is. */
export function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined && Number.isFinite(value)) as number[];
  return known.length === 0 ? undefined : median(known);
}

/** A number with as many digits as are worth reading; a dash where it is not known. */
export const digits = (value: number | undefined): string => {
  if (value === undefined) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
};

/** A row of a Markdown table. */
export const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** The first rows of a Markdown table, numbers to the right. */
export const head = (cells: readonly string[]) => [
  row(cells),
  row(cells.map((_cell, index) => (index === 0 ? '---' : '---:'))),
];
