import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config, DatabaseConfig } from './config/config.ts';
import { ConfigError } from './config/config-error.ts';
import { openDatabase } from './database/database.ts';
import { prepareSchema } from './database/migrate.ts';
import { createProcessLogger } from './process/process-logger.ts';
import type { Service } from './service.ts';

/** How long workers may take to finish when the service stops, in milliseconds. */
const graceMilliseconds = 10_000;

/** A worker that lived as long, in milliseconds, is replaced at once; of others each in a row waits twice as long. */
const settledMilliseconds = 60_000;
const leastWait = 100;
const mostWait = 30_000;

/** A worker, and what is known of it from its first moment. */
interface Forked {
  readonly worker: Worker;
  readonly forkedAt: number;
  readonly exited: Promise<unknown>;
}

/**
 * Starts the service in several processes that share its port. The process that was started only supervises: it
 * prepares the schema, replaces workers that die, and ends them all when it is disposed of.
 * @throws {ConfigError} where they cannot start
 */
export const startWorkers = (config: Config): Promise<Service> =>
  cluster.isPrimary ? supervise(config) : work(config);

async function supervise(config: Config): Promise<Service> {
  await using started = new AsyncDisposableStack();
  await createProcessLogger(config, started);
  await prepareDatabase(config.database);
  if (config.metrics) {
    const { startClusterMetrics } = await import('./observability/metrics/start-metrics.ts');
    started.use(await startClusterMetrics(config.metrics));
  }
  const stopping = new AbortController();
  started.defer(() => stop(stopping, config.shutdownDelay + graceMilliseconds));
  // One goes first: what keeps it from starting would keep them all, and is said once.
  const first = fork();
  const greeting = await untilReady(first);
  const others = Array.from({ length: config.workers - 1 }, fork);
  await Promise.all(others.map(untilReady));
  for (const forked of [first, ...others]) void keepRunning(forked, stopping.signal);
  const stack = started.move();
  return { greeting, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** One of the processes; it hands its greeting to the one that supervises. */
async function work(config: Config): Promise<Service> {
  await using started = new AsyncDisposableStack();
  // The channel between the two would keep the process alive.
  started.defer(() => void cluster.worker?.disconnect());
  const { startService } = await import('./service.ts');
  const service = started.use(await startService(config));
  process.send?.(service.greeting);
  const stack = started.move();
  return { greeting: '', [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function prepareDatabase(config: DatabaseConfig): Promise<void> {
  await using database = await openDatabase(config);
  await prepareSchema(database, config);
}

function fork(): Forked {
  const worker = cluster.fork();
  return { worker, forkedAt: performance.now(), exited: once(worker, 'exit') };
}

/** The greeting of a worker, when it is ready. */
async function untilReady({ worker, exited }: Forked): Promise<string> {
  const greeting = new Promise<string>((resolve) => {
    // Metrics take the same channel, as objects.
    worker.on('message', (message) => typeof message === 'string' && resolve(message));
  });
  const message = await Promise.race([greeting, exited.then(() => undefined)]);
  if (message !== undefined) return message;
  throw new ConfigError(['WORKERS a worker ended before it was ready: it has said why']);
}

/** Replaces a worker each time that it dies. */
async function keepRunning(forked: Forked, stopping: AbortSignal): Promise<void> {
  let current = forked;
  let wait = leastWait;
  for (;;) {
    await current.exited;
    const settled = performance.now() - current.forkedAt >= settledMilliseconds;
    wait = settled ? leastWait : Math.min(wait * 2, mostWait);
    await delay(wait, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    current = fork();
  }
}

/** Lets all workers finish, and ends those that have not in this time. */
async function stop(stopping: AbortController, milliseconds: number): Promise<void> {
  stopping.abort();
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const exited = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) worker.process.kill('SIGTERM');
  const cut = setTimeout(() => {
    for (const worker of workers) worker.process.kill('SIGKILL');
  }, milliseconds);
  await Promise.all(exited);
  clearTimeout(cut);
}
