import { readFileSync } from 'node:fs';
import { environmentSchema, topics, type VariableName } from '../config/environment.ts';
import { fillPage, tableHead, tableRow } from './filled-page.ts';

const code = (text: string): string => `\`${text}\``;

/**
 * A default as a person would write it, in Markdown; commas separate the parts of a list: `["a", "b"]` → `` `a,b` ``.
 */
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

/** The cells of a variable's row in the table, all from the variable's schema. */
function cells(name: VariableName): readonly string[] {
  const schema = environmentSchema.shape[name];
  const { unset, description = '', example = '' } = schema.meta() ?? {};
  return [code(name), unset ?? defaultText(schema.parse(undefined)), description, code(example)];
}

const table = (names: readonly VariableName[]): string =>
  [
    tableHead(['Variable', 'Default', 'Meaning', 'Example']),
    ...names.map((name) => tableRow(cells(name))),
  ].join('\n');

const allTables = (): string =>
  Object.entries(topics)
    .map(([topic, variables]) => {
      const names = Object.keys(variables) as VariableName[];
      return `### ${topic}\n\n${table(names)}`;
    })
    .join('\n\n');

const path = 'docs/configuration.md';

/**
 * The page that lists all variables, with its current text.
 * @returns pairs of a path (from the project's folder) and a text
 */
export const configurationPages = (): readonly (readonly [path: string, text: string])[] => [
  [path, fillPage(readFileSync(path, 'utf8'), 'npm run config:docs', allTables())],
];
