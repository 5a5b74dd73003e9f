import { readFileSync } from 'node:fs';
import { environmentSchema, topics, type VariableName } from '../config/environment.ts';
import { fillPage, tableHead, tableRow } from './filled-page.ts';

/** What a newcomer sets first. */
const essentials: readonly VariableName[] = [
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'DATABASE_URL',
  'AUTH_ISSUER',
  'AUTH_AUDIENCE',
  'KEY_PEPPERS',
  'KEY_ENCRYPTION_KEYS',
  'RATE_LIMIT_ACCOUNT',
  'API_KEYS_PER_ACCOUNT',
  'LOG_LEVEL',
];

const code = (text: string): string => `\`${text}\``;

/** A default as it would be set. */
function defaultText(value: unknown): string {
  if (typeof value === 'boolean') return code(value ? 'on' : 'off');
  const text = value instanceof Map ? [...value].join() : String(value ?? '');
  return text === '' ? 'none' : code(text);
}

/** The cells of a variable's row, from its schema alone. */
function cells(name: VariableName): readonly string[] {
  const schema = environmentSchema.shape[name];
  const { unset, description = '', example = '' } = schema.meta() ?? {};
  return [code(name), unset ?? defaultText(schema.parse(undefined)), description, code(example)];
}

const table = (columns: readonly string[], names: readonly VariableName[]): string =>
  [tableHead(columns), ...names.map((name) => tableRow(cells(name).slice(0, columns.length)))].join('\n');

const essentialTable = (): string => table(['Variable', 'Default', 'Meaning'], essentials);

const allTables = (): string =>
  Object.entries(topics)
    .map(([topic, variables]) => {
      const names = Object.keys(variables) as VariableName[];
      return `### ${topic}\n\n${table(['Variable', 'Default', 'Meaning', 'Example'], names)}`;
    })
    .join('\n\n');

/** The pages that have variables in a table, as they must be: each path, from the project's folder, and its text. */
export const configurationPages = (): readonly (readonly [path: string, text: string])[] =>
  (
    [
      ['README.md', essentialTable],
      ['docs/configuration.md', allTables],
    ] as const
  ).map(([path, part]) => [path, fillPage(readFileSync(path, 'utf8'), 'npm run config:docs', part())]);
