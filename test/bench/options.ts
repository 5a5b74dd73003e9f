import { readCommandLine } from '../../src/config/command-line.ts';
import { usualConnections } from './load-generator.ts';

/** What can be asked for on the command line. */
const options = {
  growth: { type: 'boolean', default: false },
  workers: { type: 'boolean', default: false },
  doors: { type: 'boolean', default: false },
  pages: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  servers: { type: 'string' },
  connections: { type: 'string', default: String(usualConnections) },
  'no-write': { type: 'boolean', default: false },
} as const;

const usage = `Usage: npm run bench -- [options]

Measures Keyward beside its peers, and writes test/bench/RESULTS.md.

  --growth           Keyward alone, with more and more data and callers; and how long a start takes
  --workers          Keyward alone, one worker and two on PostgreSQL
  --doors            verification of API keys, beside a peer on SQLite and PostgreSQL
  --pages            how long the pages take on a slow phone; needs Chromium
  --quick            a short run: less warming up, shorter slices; for a first look
  --only NAMES       only these operations, with commas between them: rest-status,graphql-status
  --servers NAMES    only Keyward and these servers: node-http,fastify
  --connections N    how many connections make the load; 16 unless told otherwise
  --no-write         print the results and leave RESULTS.md as it is
  --help             prints this text
`;

/** How long a run measures. All times in seconds, whole ones. */
export interface Timing {
  /** For each server, shared by its operations. */
  readonly warmUp: number;
  readonly rounds: number;
  /** At full load, for each server and operation in each round. */
  readonly saturated: number;
  /** At half of that load, likewise; 0: not at all. */
  readonly paced: number;
  /** How long a server is left alone before its idle memory is read. */
  readonly idle: number;
  /** How often a start is timed. */
  readonly starts: number;
}

const full: Timing = { warmUp: 20, rounds: 6, saturated: 2, paced: 1, idle: 30, starts: 7 };
const quick: Timing = { warmUp: 5, rounds: 2, saturated: 2, paced: 1, idle: 5, starts: 3 };

/** Where Keyward is measured beside itself, ratios alone count: shorter slices, more often in turn. */
export const besideItself = ({ rounds, saturated, ...timing }: Timing): Timing => ({
  ...timing,
  rounds: rounds * 2,
  saturated: saturated / 2,
  paced: 0,
});

const names = (list: string | undefined) => list?.split(',').map((name) => name.trim());

/** Reads the command line; the process ends where there is nothing to measure. */
export function readOptions() {
  const given = readCommandLine({ usage, options });
  if (!given) process.exit();
  const { values } = given;
  const timing = values.quick ? quick : full;
  return {
    growth: values.growth,
    workers: values.workers,
    doors: values.doors,
    pages: values.pages,
    quick: values.quick,
    timing: values.growth || values.workers ? besideItself(timing) : timing,
    /** Names of operations; undefined: all of them. */
    only: names(values.only),
    /** Names of servers beside Keyward; undefined: all of them. */
    servers: names(values.servers),
    /** Connections that make the load, beside peers. */
    connections: Number(values.connections),
    write: !values['no-write'],
  };
}

/**
 * Those of a list that were asked for, by name.
 * @throws {Error} for a name that none of them has
 */
export function select<Item extends { readonly name: string }>(
  items: readonly Item[],
  asked: readonly string[] | undefined,
): readonly Item[] {
  const unknown = asked?.find((name) => !items.some((item) => item.name === name));
  if (unknown !== undefined)
    throw new Error(`There is no ${unknown}: choose from ${items.map(({ name }) => name).join(', ')}`);
  return items.filter(({ name }) => asked?.includes(name) ?? true);
}

/** What the command line asked for. */
export type Options = ReturnType<typeof readOptions>;
