import { createDatabase } from './database.ts';
import { createLoadGenerator } from './load-generator.ts';
import { saturate, warmUp } from './measure.ts';
import type { Operation } from './operation.ts';
import { type Options, select } from './options.ts';
import { openPostgres } from './postgres.ts';
import { residentMegabytes } from './process-figures.ts';
import { restOperations } from './rest-operations.ts';
import { keyward, startServer } from './servers.ts';
import { type Sample, workersTable } from './workers-report.ts';
import { createWorld } from './world.ts';

const size = { users: 32, keysEach: 3 };
const tokenCount = 64;

/** Measures one worker beside two, on PostgreSQL, in turn. */
export async function measureWorkers({ timing }: Options): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await createWorld(size, tokenCount));
  const postgres = stack.use(await openPostgres());
  await createDatabase(postgres.url, world.issuer, size);
  const [operation] = select(restOperations(world), ['rest-status']) as [Operation];
  const start = async (workers: number) => {
    const env = { DATABASE_URL: postgres.url, WORKERS: `${workers}` };
    const server = stack.use(await startServer({ ...keyward, env }, world));
    return { server, operation, difference: undefined, samples: [] as Sample[] };
  };
  const measured = { one: await start(1), two: await start(2) };

  const load = createLoadGenerator(world.folder);
  console.log('Warming up …');
  await warmUp(Object.values(measured), load, timing.warmUp);
  for (let round = 1; round <= timing.rounds; round += 1) {
    console.log(`Round ${round} of ${timing.rounds} …`);
    for (const each of Object.values(measured)) {
      const { pid } = each.server;
      const pids = [pid, postgres.pid];
      const { rate, cpu, errors } = await saturate(each, { load, seconds: timing.saturated, pids });
      if (errors > 0) throw new Error(`${errors} errors under load`);
      each.samples.push({ rate, cpu: cpu[0], postgres: cpu[1], memory: residentMegabytes(pid) });
    }
  }
  return `${operation.title}, on PostgreSQL. Medians of ${timing.rounds} rounds of ${timing.saturated} s at full load, after ${timing.warmUp} s of warming up.

${workersTable(measured.one.samples, measured.two.samples)}`;
}
