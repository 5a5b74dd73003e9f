import { type Comparison, compareAnswers } from './compare.ts';
import { installPeers } from './install-peers.ts';
import { createLoadGenerator } from './load-generator.ts';
import { type Measurement, measure, warmUp } from './measure.ts';
import { createOperations } from './operations.ts';
import { type Options, select } from './options.ts';
import { remarks, tables } from './report.ts';
import { keyward, type Server, serverKinds, startServer } from './servers.ts';
import { createWorld } from './world.ts';

const size = { users: 32, keysEach: 3 };
const tokenCount = 64;

/** Measures Keyward beside its peers. */
export async function measureSpeed({ only, servers: names, timing }: Options): Promise<string> {
  installPeers();
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await createWorld(size, tokenCount));
  const operations = select(createOperations(world), only);
  const servers: Server[] = [];
  for (const kind of select(serverKinds, names && [keyward.name, ...names]))
    servers.push(stack.use(await startServer(kind, world)));

  const compareAll = async (): Promise<readonly Comparison[]> => {
    const all: Comparison[] = [];
    for (const operation of operations) all.push(...(await compareAnswers(operation, servers)));
    return all;
  };
  const load = createLoadGenerator(world.folder);
  const comparisons = await compareAll();
  console.log(`Warming up ${servers.length} servers …`);
  await warmUp(
    comparisons.filter(({ difference }) => difference === undefined),
    load,
    timing.warmUp,
  );
  const measured = await measure(comparisons, load, timing);
  // Once more: what was answered under load must still be right.
  const after = await compareAll();
  const measurements = measured.map(
    (measurement, index): Measurement => ({
      ...measurement,
      difference: measurement.difference ?? after[index]?.difference,
    }),
  );

  const { rounds, saturated, paced, warmUp: warm } = timing;
  return `Medians of ${rounds} rounds: ${saturated} s at full load and ${paced} s at half of it for each server and operation, after ${warm} s of warming up. Latencies are those at half load.

${tables(measurements)}
${remarks(measurements)}`;
}
