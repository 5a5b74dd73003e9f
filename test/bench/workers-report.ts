import { cpus } from 'node:os';
import { digits, head, medianOfKnown, row } from './table.ts';

/** What a time of full load showed. */
export interface Sample {
  /** Requests a second. */
  readonly rate: number;
  /** Processor time of a request in all of Keyward's processes, and in all of PostgreSQL's, in microseconds. */
  readonly cpu: number | undefined;
  readonly postgres: number | undefined;
  /** Resident in all of Keyward's processes, in megabytes. */
  readonly memory: number | undefined;
}

const figures = ['rate', 'cpu', 'postgres', 'memory'] as const;

const medians = (samples: readonly Sample[]) =>
  figures.map((name) => medianOfKnown(samples.map((sample) => sample[name])));

/** Two beside one: the median of what each round had for it. */
const shares = (one: readonly Sample[], two: readonly Sample[]) =>
  figures.map((name) =>
    medianOfKnown(
      two.map((sample, round) => (sample[name] ?? Number.NaN) / (one[round]?.[name] ?? Number.NaN)),
    ),
  );

/** The table, and what it shows. */
export function workersTable(one: readonly Sample[], two: readonly Sample[]): string {
  const [rate = 0, cpu = 0, postgres = 0] = medians(one);
  const [rateShare, cpuShare] = shares(one, two);
  const busy = digits((rate * (cpu + postgres)) / 1e6);
  return [
    ...head([
      '',
      'Requests/s',
      'Keyward: CPU, µs a request',
      'PostgreSQL: CPU, µs a request',
      'Keyward: memory, MB',
    ]),
    row(['`WORKERS=1`', ...medians(one).map(digits)]),
    row(['`WORKERS=2`', ...medians(two).map(digits)]),
    row(['Two beside one', ...shares(one, two).map(digits)]),
    '',
    `Keyward, PostgreSQL and the load generator share ${cpus().length} cores here, of which one worker and its PostgreSQL keep ${busy} busy. So the rate, ${digits(rateShare)} times that of one worker, does not say what more cores would give. The processor time of a request does: with two workers, the process that supervises included, it is ${digits(cpuShare)} times what it is with one. At 1.00, a second core would give as much as the first.`,
  ].join('\n');
}
