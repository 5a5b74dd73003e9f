import type { Measurement, Sample } from './measure.ts';
import { keyward } from './servers.ts';

const heads = [
  'Server',
  'Requests/s',
  'p50, ms',
  'p99, ms',
  'CPU, µs a request',
  'CPU, Keyward = 1',
  'Memory, MB',
];

/** The median. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

const medianOf = (samples: readonly Sample[], name: keyof Sample): number | undefined => {
  const values = samples.map((sample) => sample[name]).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
};

/** A number with as many digits as are worth reading; a dash where it is not known. */
const digits = (value: number | undefined): string => {
  if (value === undefined) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
};

/** A row of a Markdown table. */
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** The first rows of a Markdown table, numbers to the right. */
const head = (cells: readonly string[]) => [
  row(cells),
  row(cells.map((_cell, index) => (index === 0 ? '---' : '---:'))),
];

/** The median of what each round had for it: what disturbed a round disturbed both. */
const ratio = (samples: readonly Sample[], base: readonly Sample[]): number | undefined => {
  const ratios = samples
    .map(({ cpu }, round) => (cpu ?? Number.NaN) / (base[round]?.cpu ?? Number.NaN))
    .filter(Number.isFinite);
  return ratios.length === 0 ? undefined : median(ratios);
};

const isSound = ({ difference, samples }: Measurement) =>
  difference === undefined && samples.every(({ errors }) => errors === 0);

function measurementRow(measurement: Measurement, base: Measurement | undefined): string {
  const { server, samples } = measurement;
  if (!isSound(measurement)) return row([server.kind.title, 'not comparable', '–', '–', '–', '–', '–']);
  const share = base && isSound(base) ? ratio(samples, base.samples) : undefined;
  const figures = (['rate', 'p50', 'p99', 'cpu'] as const).map((name) => digits(medianOf(samples, name)));
  return row([server.kind.title, ...figures, digits(share), digits(samples.at(-1)?.memory)]);
}

/** A table for each operation. */
export function tables(measurements: readonly Measurement[]): string {
  const operations = [...new Set(measurements.map(({ operation }) => operation))];
  return operations
    .map((operation) => {
      const rows = measurements.filter((measurement) => measurement.operation === operation);
      const base = rows.find(({ server }) => server.kind.name === keyward.name);
      const lines = rows.map((measurement) => measurementRow(measurement, base));
      return [`### ${operation.title}`, '', ...head(heads), ...lines, ''].join('\n');
    })
    .join('\n');
}

/** Why rows have no numbers, a line for each. */
export const remarks = (measurements: readonly Measurement[]): string[] =>
  measurements
    .filter((measurement) => !isSound(measurement))
    .map(({ server, operation, difference, samples }) => {
      const errors = samples.reduce((sum, sample) => sum + sample.errors, 0);
      return `${server.kind.title}, ${operation.name}: ${difference ?? `${errors} errors under load`}`;
    });
