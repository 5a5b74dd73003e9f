// Load for a while, steady, on the real process: does its memory grow, do answers get slower, does any fail?
// Writes docs/load.md; fails where a request did, or where memory goes on growing.
import { join } from 'node:path';
import { readCommandLine } from '../../src/config/command-line.ts';
import { createLoadGenerator } from '../bench/load-generator.ts';
import { describeMachine } from '../bench/machine.ts';
import { createOperations } from '../bench/operations.ts';
import { residentMegabytes } from '../bench/process-figures.ts';
import { writePart } from '../bench/results-file.ts';
import { keyward, startServer } from '../bench/servers.ts';
import { digits, head, medianOfKnown, row } from '../bench/table.ts';
import { createWorld } from '../bench/world.ts';
import { root } from '../support/process.ts';

const usage = `Usage: node test/load/soak.ts [options]

Keeps Keyward busy, and looks whether its memory grows or its answers get slower. Writes docs/load.md.

  --minutes N  for how long; 10 unless told otherwise
  --rate N     requests a second; 300 unless told otherwise
  --no-write   prints the results and leaves docs/load.md as it is
  --help       prints this text
`;

const given = readCommandLine({
  usage,
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '300' },
    'no-write': { type: 'boolean', default: false },
  },
});
if (!given) process.exit();
const { values } = given;
const minutes = Number(values.minutes);
const rate = Number(values.rate);

/** How long is measured between two looks at the memory, in seconds. */
const slice = 20;

/** How much memory may grow from the third quarter to the last, as a share: what is more is taken for a leak. */
const tolerance = 0.05;

interface Slice {
  readonly requests: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
  readonly megabytes: number;
}

async function soak(): Promise<Slice[]> {
  await using world = await createWorld({ users: 1000, keysEach: 10 }, 1000);
  await using server = await startServer({ ...keyward, env: { LOG_LEVEL: 'info' } }, world);
  const load = createLoadGenerator(world.folder);
  const lists = createOperations(world).map(({ requests }) => requests);
  // All operations on both interfaces by turns.
  const requests = world.tokens.flatMap((_token, index) => lists.flatMap((list) => list[index] ?? []));
  const slices: Slice[] = [];
  while (slices.length * slice < minutes * 60) {
    const paced = await load.pace({ url: server.url, requests }, slice, rate);
    slices.push({ ...paced, megabytes: residentMegabytes(server.pid) ?? Number.NaN });
    console.log(JSON.stringify(slices.at(-1)));
  }
  return slices;
}

const median = (slices: readonly Slice[], figure: keyof Slice) =>
  medianOfKnown(slices.map((each) => each[figure]));

const quarters = (slices: readonly Slice[]): Slice[][] =>
  [0, 1, 2, 3].map((quarter) =>
    slices.slice((quarter * slices.length) / 4, ((quarter + 1) * slices.length) / 4),
  );

const total = (slices: readonly Slice[], figure: 'requests' | 'errors') =>
  slices.reduce((sum, each) => sum + each[figure], 0);

const slices = await soak();
const parts = quarters(slices);
const [third = Number.NaN, last = Number.NaN] = parts.slice(2).map((part) => median(part, 'megabytes'));
const growth = (last - third) / third;
const rows = parts.map((part, index) =>
  row([
    `${index + 1}`,
    total(part, 'requests').toLocaleString('en'),
    `${total(part, 'errors')}`,
    digits(median(part, 'p50')),
    digits(median(part, 'p99')),
    digits(Math.max(...part.map(({ p99 }) => p99))),
    digits(median(part, 'megabytes')),
  ]),
);
const content = [
  `${describeMachine()}. ${(slices.length * slice) / 60} minutes, ${rate} requests a second: the three operations by REST and by GraphQL in turn, for 1,000 people, on SQLite, with the request log. Medians of slices of ${slice} s.`,
  '',
  ...head(['Quarter', 'Requests', 'Failed', 'p50, ms', 'p99, ms', 'Greatest p99, ms', 'Memory, MB']),
  ...rows,
  '',
  `From the third quarter to the last, memory changed by ${(growth * 100).toFixed(1)} %.`,
].join('\n');
console.log(`\n${content}`);
if (!values['no-write']) writePart('soak', content, join(root, 'docs/load.md'));
if (total(slices, 'errors') > 0 || growth > tolerance) {
  console.error('The soak failed: requests were not answered well, or memory goes on growing.');
  process.exitCode = 1;
}
