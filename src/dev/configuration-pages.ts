import { readFileSync } from 'node:fs';
import { environmentSchema, topics, type VariableName } from '../config/environment.ts';

const code = (text: string): string => `\`${text}\``;

/** A default as it would be set: what has several parts has commas between them. */
function defaultText(value: unknown): string {
  if (typeof value === 'boolean') return code(value ? 'on' : 'off');
  const text = typeof value === 'object' && value !== null ? partsOf(value).join() : String(value ?? '');
  return text === '' ? 'none' : code(text);
}

const partsOf = (value: object): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  const pairs = value instanceof Map ? [...value] : Object.entries(value);
  return pairs.map((pair) => pair.join('='));
};

/** The cells of a variable's row, from its schema alone. */
function cells(name: VariableName): readonly string[] {
  const schema = environmentSchema.shape[name];
  const { unset, description = '', example = '' } = schema.meta() ?? {};
  return [code(name), unset ?? defaultText(schema.parse(undefined)), description, code(example)];
}

const row = (texts: readonly string[]): string =>
  `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;

const table = (names: readonly VariableName[]): string =>
  [
    row(['Variable', 'Default', 'Meaning', 'Example']),
    '|---|---|---|---|',
    ...names.map((name) => row(cells(name))),
  ].join('\n');

const allTables = (): string =>
  Object.entries(topics)
    .map(([topic, variables]) => {
      const names = Object.keys(variables) as VariableName[];
      return `### ${topic}\n\n${table(names)}`;
    })
    .join('\n\n');

const begin = '<!-- written by npm run config:docs -->';
const end = '<!-- end -->';

/** A page with the part between its two marks written anew. */
function fill(page: string, part: string): string {
  const [before, rest] = page.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (after === undefined) throw new Error('A page has no marks around its table of variables.');
  return `${before}${begin}\n\n${part}\n\n${end}${after}`;
}

/** The pages that have variables in a table, as they must be: each path, from the project's folder, and its text. */
export const configurationPages = (): readonly (readonly [path: string, text: string])[] =>
  ([['docs/configuration.md', allTables]] as const).map(([path, part]) => [
    path,
    fill(readFileSync(path, 'utf8'), part()),
  ]);
