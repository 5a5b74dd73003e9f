import { type Comparison, undo } from './compare.ts';
import type { LoadGenerator } from './load.ts';
import type { Timing } from './options.ts';
import { cpuMicroseconds, residentMegabytes, waitedMilliseconds } from './process-figures.ts';

/** What one slice of load showed. */
export interface Sample {
  /** Requests a second at full load. */
  readonly rate: number;
  /** Processor time of the server for one request, in microseconds; undefined where it cannot be known. */
  readonly cpu: number | undefined;
  /** Milliseconds to an answer at half of that load; undefined where the machine was too busy to make that load. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  /** The part of that time in which the server's main thread waited for a core, in per cent. */
  readonly waited: number | undefined;
  /** The server's resident memory after, in megabytes. */
  readonly memory: number | undefined;
  readonly errors: number;
}

/** A server and an operation, with a sample of each round. */
export interface Measurement extends Comparison {
  readonly samples: Sample[];
}

/**
 * Sends a server as many requests as it answers.
 * @param pids whose processor time is wanted
 * @returns requests a second, and the processor time of a request in each of these processes, in microseconds
 */
export async function saturate(
  { server, operation }: Pick<Comparison, 'server' | 'operation'>,
  { load, seconds, pids }: { load: LoadGenerator; seconds: number; pids: readonly number[] },
) {
  const before = pids.map(cpuMicroseconds);
  const result = await load.saturate({ url: server.url, requests: operation.requests }, seconds);
  const cpu = pids.map((pid, index) => {
    const [from, to] = [before[index], cpuMicroseconds(pid)];
    return from === undefined || to === undefined ? undefined : (to - from) / result.requests;
  });
  return { rate: result.requests / result.seconds, cpu, errors: result.errors };
}

async function takeSample(comparison: Comparison, load: LoadGenerator, timing: Timing): Promise<Sample> {
  const { server, operation } = comparison;
  undo(comparison);
  const { rate, cpu, errors } = await saturate(comparison, {
    load,
    seconds: timing.saturated,
    pids: [server.pid],
  });
  const sample = { rate, cpu: cpu[0], memory: residentMegabytes(server.pid), errors };
  if (timing.paced === 0) return { ...sample, p50: undefined, p99: undefined, waited: undefined };
  const target = { url: server.url, requests: operation.requests };
  undo(comparison);
  const [waitedBefore, startedAt] = [waitedMilliseconds(server.pid), performance.now()];
  const paced = await load.pace(target, timing.paced, Math.max(1, Math.round(rate / 2)));
  const waited = (waitedMilliseconds(server.pid) ?? Number.NaN) - (waitedBefore ?? Number.NaN);
  const isOnTime = paced.seconds < timing.paced * 1.1;
  return {
    ...sample,
    p50: isOnTime ? paced.p50 : undefined,
    p99: isOnTime ? paced.p99 : undefined,
    waited: (100 * waited) / (performance.now() - startedAt),
    errors: errors + paced.errors,
  };
}

/** Lets all servers do each of their operations for a while, so that their code is compiled. */
export async function warmUp(comparisons: readonly Comparison[], load: LoadGenerator, seconds: number) {
  for (const { server, operation } of comparisons) {
    const shared = comparisons.filter((other) => other.server === server).length;
    const target = { url: server.url, requests: operation.requests };
    undo({ server, operation });
    await load.saturate(target, Math.ceil(seconds / shared));
  }
}

/**
 * Measures in rounds; in each, all servers in turn do an operation before all do the next, so that what else happens
 * on the machine meets them alike.
 */
export async function measure(
  comparisons: readonly Comparison[],
  load: LoadGenerator,
  timing: Timing,
): Promise<readonly Measurement[]> {
  const measurements = comparisons.map((comparison) => ({ ...comparison, samples: [] as Sample[] }));
  for (let round = 1; round <= timing.rounds; round += 1) {
    console.log(`Round ${round} of ${timing.rounds} …`);
    for (const measurement of measurements) {
      if (measurement.difference !== undefined) continue;
      measurement.samples.push(await takeSample(measurement, load, timing));
    }
  }
  return measurements;
}
