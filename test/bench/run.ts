import { type Comparison, compareAnswers } from './compare.ts';
import { installPeers } from './install-peers.ts';
import { createLoadGenerator } from './load-generator.ts';
import { describeMachine } from './machine.ts';
import { type Measurement, measure, warmUp } from './measure.ts';
import { createOperations } from './operations.ts';
import { help, readOptions, select } from './options.ts';
import { remarks, tables } from './report.ts';
import { writePart } from './results-file.ts';
import { keyward, type Server, serverKinds, startServer } from './servers.ts';
import { createWorld } from './world.ts';

const size = { users: 32, keysEach: 3 };
const tokenCount = 64;

const options = readOptions();
if (options.help) {
  console.log(help);
  process.exit();
}
// Leaving in order ends the servers as well.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

installPeers();
await using stack = new AsyncDisposableStack();
const world = stack.use(await createWorld(size, tokenCount));
const operations = select(createOperations(world), options.only);
const servers: Server[] = [];
for (const kind of select(serverKinds, options.servers && [keyward.name, ...options.servers]))
  servers.push(stack.use(await startServer(kind, world)));

const compareAll = async (): Promise<readonly Comparison[]> => {
  const all: Comparison[] = [];
  for (const operation of operations) all.push(...(await compareAnswers(operation, servers)));
  return all;
};

const load = createLoadGenerator(world.folder);
const machine = describeMachine(load.name);
const comparisons = await compareAll();
const comparable = comparisons.filter(({ difference }) => difference === undefined);
console.log(`Warming up ${servers.length} servers …`);
await warmUp(comparable, load, options.timing.warmUp);
const measured = await measure(comparisons, load, options.timing);
// Once more: what was answered under load must still be right.
const after = await compareAll();
const measurements = measured.map(
  (measurement, index): Measurement => ({
    ...measurement,
    difference: measurement.difference ?? after[index]?.difference,
  }),
);

const { rounds, saturated, paced, warmUp: warm } = options.timing;
const content = `${options.quick ? 'A quick run, for a first look. ' : ''}${machine}.

Medians of ${rounds} rounds: ${saturated} s at full load and ${paced} s at half of it for each server and operation, after ${warm} s of warming up. Latencies are those at half load.

${tables(measurements)}
${remarks(measurements)
  .map((remark) => `- Not comparable: ${remark}`)
  .join('\n')}`;
console.log(`\n${content}`);
if (options.write) writePart('speed', content);
