import type { Measurement } from './measure.ts';
import { isSound, medianOf, ratio } from './report.ts';
import type { StartUp } from './start-up.ts';
import { digits, head, row } from './table.ts';
import type { World } from './world.ts';

/** What was measured with one world. */
export interface Column {
  readonly world: World;
  readonly startUp: StartUp | undefined;
  /** Resident memory before anybody called, in megabytes. */
  readonly idle: number | undefined;
  readonly measurements: readonly Measurement[];
}

const keysOf = ({ size }: World) => size.users * size.keysEach;

/** The processor time of a request, and how many times the first column's that is. */
function cpuCell({ samples }: Measurement, base: Measurement): string {
  const cpu = digits(medianOf(samples, 'cpu'));
  return samples === base.samples ? cpu : `${cpu} (${digits(ratio(samples, base.samples))})`;
}

/** The operation at a place in the list of all. */
function cpuRow(columns: readonly Column[], place: number): string {
  const measurements = columns.flatMap((column) => column.measurements[place] ?? []);
  const [base] = measurements;
  if (!base) return '';
  const cells = measurements.map((each) => (isSound(each) ? cpuCell(each, base) : 'errors'));
  return row([`CPU a request, µs: ${base.operation.name}`, ...cells]);
}

function table(columns: readonly Column[], title: (world: World) => string): string {
  const figures = (name: string, figure: (column: Column) => number | undefined) =>
    row([name, ...columns.map((column) => digits(figure(column)))]);
  return [
    ...head(['', ...columns.map(({ world }) => title(world))]),
    ...(columns[0]?.measurements.map((_measurement, place) => cpuRow(columns, place)) ?? []),
    figures('Memory idle, MB', ({ idle }) => idle),
    figures('Memory after the load, MB', ({ measurements }) => measurements.at(-1)?.samples.at(-1)?.memory),
    figures('Ready after, ms', ({ startUp }) => startUp?.milliseconds),
    figures('CPU until ready, ms', ({ startUp }) => startUp?.cpu),
  ].join('\n');
}

const amount = (value: number, name: string) =>
  `${value.toLocaleString('en')} ${name}${value === 1 ? '' : 's'}`;

/**
 * A table for more and more data, and one for more and more callers.
 * @param keys in the database, where the callers differ
 * @param tokens in use, where the data differs
 */
export function growthTables(
  columns: readonly Column[],
  { keys, tokens }: { keys: number; tokens: number },
): string {
  const ofTokens = columns.filter(({ world }) => world.tokens.length === tokens);
  const ofKeys = columns.filter(({ world }) => keysOf(world) === keys);
  return `### API keys in the database, with ${amount(tokens, 'token')} in use

${table(ofTokens, (world) => amount(keysOf(world), 'key'))}

### Tokens in use, with ${amount(keys, 'API key')} in the database

${table(ofKeys, (world) => amount(world.tokens.length, 'token'))}`;
}
