import { type Comparison, compareAnswers } from './compare.ts';
import { createLoadGenerator } from './load-generator.ts';
import { type Measurement, measure, warmUp } from './measure.ts';
import type { Operation } from './operation.ts';
import type { Timing } from './options.ts';
import { remarks, tables } from './report.ts';
import type { Server } from './servers.ts';

/**
 * Measures servers beside each other, each operation on those that do it as Keyward does.
 * @param servers the first one is Keyward
 * @param folder for the load generator's files
 * @returns a table for each operation, and why a row has no numbers
 */
export async function measureSideBySide(
  servers: readonly Server[],
  operations: readonly Operation[],
  { folder, timing, connections }: { folder: string; timing: Timing; connections: number },
): Promise<string> {
  const compareAll = async (): Promise<readonly Comparison[]> => {
    const all: Comparison[] = [];
    for (const operation of operations) all.push(...(await compareAnswers(operation, servers)));
    return all;
  };
  const load = createLoadGenerator(folder, connections);
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
  return `${tables(measurements)}\n${remarks(measurements)}`;
}

/** How it was measured, for a reader. */
export const describeTiming = ({ rounds, saturated, paced, warmUp: warm }: Timing): string =>
  `Medians of ${rounds} rounds: ${saturated} s at full load and ${paced} s at half of it for each server and operation, after ${warm} s of warming up. Latencies are those at half load; beside them, the part of that time in which the server's main thread was ready and waited for a core, which is the machine's doing and not the server's.`;
