import type { Measurement, Sample } from './measure.ts';
import { keyward } from './servers.ts';
import { digits, head, medianOfKnown, row } from './table.ts';

const heads = [
  'Server',
  'Requests/s',
  'p50, ms',
  'p99, ms',
  'Waiting for a core',
  'CPU, µs a request',
  'CPU, Keyward = 1',
  'Memory, MB',
];

/** The median of one figure over the rounds. */
export const medianOf = (samples: readonly Sample[], name: keyof Sample): number | undefined =>
  medianOfKnown(samples.map((sample) => sample[name]));

/** The processor time of one beside another's: what disturbed a round disturbed both. */
export const ratio = (samples: readonly Sample[], base: readonly Sample[]): number | undefined =>
  medianOfKnown(samples.map(({ cpu }, round) => (cpu ?? Number.NaN) / (base[round]?.cpu ?? Number.NaN)));

/** Whether all was answered, and as it should be. */
export const isSound = ({ difference, samples }: Measurement) =>
  difference === undefined && samples.every(({ errors }) => errors === 0);

function measurementRow(measurement: Measurement, base: Measurement | undefined): string {
  const { server, samples } = measurement;
  if (!isSound(measurement)) return row([server.kind.title, 'not comparable', '–', '–', '–', '–', '–', '–']);
  const share = base && isSound(base) ? ratio(samples, base.samples) : undefined;
  const figure = (name: keyof Sample) => digits(medianOf(samples, name));
  return row([
    server.kind.title,
    ...[figure('rate'), figure('p50'), figure('p99'), `${figure('waited')} %`, figure('cpu')],
    ...[digits(share), digits(samples.at(-1)?.memory)],
  ]);
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
export const remarks = (measurements: readonly Measurement[]): string =>
  measurements
    .filter((measurement) => !isSound(measurement))
    .map(({ server, operation, difference, samples }) => {
      const errors = samples.reduce((sum, sample) => sum + sample.errors, 0);
      return `- Not comparable: ${server.kind.title}, ${operation.name}: ${difference ?? `${errors} errors under load`}`;
    })
    .join('\n');
