/** How a language writes the values of JSON. */
export interface Notation {
  readonly text: (text: string) => string;
  readonly name: (name: string) => string;
  readonly words: { readonly true: string; readonly false: string; readonly null: string };
  readonly indent: string;
  /** Stands inside the braces of an object on one line. */
  readonly padding: string;
  /** Stands after the last item of several lines. */
  readonly lastComma: string;
}

const widest = 60;

const itemsOf = (value: object, notation: Notation, indent: string): readonly string[] =>
  Array.isArray(value)
    ? value.map((item) => writeValue(item, notation, indent))
    : Object.entries(value).map(
        ([name, item]) => `${notation.name(name)}: ${writeValue(item, notation, indent)}`,
      );

/** Whether items fit on one line. What has several members and stands alone has a line for each. */
const isShort = (items: readonly string[], line: string, indent: string) =>
  line.length <= widest && !line.includes('\n') && (indent !== '' || items.length <= 1);

/** Writes a JSON value as a literal: short ones on one line, all others indented. */
export function writeValue(value: unknown, notation: Notation, indent = ''): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'number') return `${value}`;
  if (typeof value !== 'object' || value === null) return notation.words[`${value as boolean | null}`];
  const inner = indent + notation.indent;
  const items = itemsOf(value, notation, inner);
  const line = items.join(', ');
  const [opening, closing] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const padding = Array.isArray(value) || items.length === 0 ? '' : notation.padding;
  if (isShort(items, line, indent)) return opening + padding + line + padding + closing;
  const lines = items.map((item) => inner + item).join(',\n');
  return `${opening}\n${lines}${notation.lastComma}\n${indent}${closing}`;
}
