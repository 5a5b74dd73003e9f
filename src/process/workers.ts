import cluster from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config, DatabaseConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { openDatabase } from '../database/database.ts';
import { prepareSchema } from '../database/migrate.ts';
import { type ForkedWorker, forkWorker, giveSigns, tellSupervisor } from './forked-worker.ts';
import { createProcessLogger, stopMilliseconds } from './process-logger.ts';
import type { Service } from './service.ts';
import type { Stopped } from './signals.ts';

/** How long workers may take to finish when the service stops, in milliseconds: longer than they give themselves. */
const graceMilliseconds = stopMilliseconds + 250;

/** How long this process may take, which waits for them. */
const ownGraceMilliseconds = stopMilliseconds + 500;

/** A worker that lived less, in milliseconds, may not be able to live: each in a row waits twice as long. */
const settledMilliseconds = 10_000;
const leastWait = 200;
const mostWait = 30_000;

/**
 * Starts the service in several processes that share its port. The process that was started only supervises: it
 * prepares the schema, replaces workers that die, and ends them all when it is disposed of.
 * @param stopped resolves when this process is told to stop
 * @throws {ConfigError} where they cannot start
 */
export const startWorkers = (config: Config, stopped: Stopped): Promise<Service> =>
  cluster.isPrimary ? supervise(config, stopped) : work(config, stopped);

async function supervise(config: Config, stopped: Stopped): Promise<Service> {
  await using started = new AsyncDisposableStack();
  const { logger } = await createProcessLogger(config, started, stopped, ownGraceMilliseconds);
  await prepareDatabase(config.database);
  if (config.metrics) {
    const { startClusterMetrics } = await import('../observability/metrics/start-metrics.ts');
    started.use(await startClusterMetrics(config.metrics));
  }
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  started.defer(() => stop(logger, config.shutdownDelay + graceMilliseconds));
  const fork = () => forkWorker(logger);
  // One goes first: what keeps it from starting would keep them all, and is said once.
  const first = fork();
  const greeting = await untilReady(first, stopping.signal);
  const others = stopping.signal.aborted ? [] : Array.from({ length: config.workers - 1 }, fork);
  await Promise.all(others.map((other) => untilReady(other, stopping.signal)));
  for (const forked of [first, ...others]) void keepRunning(forked, fork, stopping.signal, logger);
  const stack = started.move();
  return { greeting, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** One of the processes; it hands its greeting to the one that supervises. */
async function work(config: Config, stopped: Stopped): Promise<Service> {
  await using started = new AsyncDisposableStack();
  // The channel between the two would keep the process alive.
  started.defer(() => void cluster.worker?.disconnect());
  started.use(giveSigns());
  const { startService } = await import('./service.ts');
  const service = started.use(await startService(config, stopped));
  tellSupervisor({ greeting: service.greeting });
  const stack = started.move();
  return { greeting: '', [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function prepareDatabase(config: DatabaseConfig): Promise<void> {
  await using database = await openDatabase(config);
  await prepareSchema(database, config);
}

/** How long after a worker this process hears of a signal that went to both, in milliseconds. */
const signalPatience = 500;

/**
 * The greeting of a worker, when it is ready; none where the service is told to stop before.
 * @throws {ConfigError} where it ends before it is ready
 */
async function untilReady({ greeting, exited }: ForkedWorker, stopping: AbortSignal): Promise<string> {
  const outcome = await Promise.race([greeting, exited, aborted(stopping)]);
  if (typeof outcome === 'string') return outcome;
  // What goes to the whole group may reach a worker that does not listen yet, and then this process.
  if (outcome?.signal) await Promise.race([aborted(stopping), delay(signalPatience)]);
  if (stopping.aborted) return '';
  throw new ConfigError(['WORKERS a worker ended before it was ready: it has said why']);
}

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

/** Replaces a worker each time that it dies: at once, unless others in its place have just died as well. */
async function keepRunning(
  forked: ForkedWorker,
  fork: () => ForkedWorker,
  stopping: AbortSignal,
  logger: Logger,
): Promise<void> {
  let current = forked;
  let wait = 0;
  for (;;) {
    const ending = await current.exited;
    if (stopping.aborted) return;
    const milliseconds = Math.round(performance.now() - current.forkedAt);
    if (milliseconds >= settledMilliseconds) wait = 0;
    logger.warn({ worker: current.worker.process.pid, ...ending, milliseconds, wait }, 'a worker has ended');
    await delay(wait, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    wait = Math.min(Math.max(leastWait, wait * 2), mostWait);
    current = fork();
  }
}

/** Lets all workers finish, and ends those that have not in this time. */
async function stop(logger: Logger, milliseconds: number): Promise<void> {
  const workers = Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead());
  if (workers.length > 0) logger.info({ workers: workers.length }, 'waiting for the workers');
  const exited = workers.map(async (worker) => {
    const [exitCode, signal] = await once(worker, 'exit');
    if (exitCode !== 0) logger.warn({ worker: worker.process.pid, signal, exitCode }, 'a worker has ended');
  });
  for (const worker of workers) worker.process.kill('SIGTERM');
  const cut = setTimeout(() => {
    for (const worker of workers.filter((each) => !each.isDead())) {
      logger.warn({ worker: worker.process.pid }, 'a worker does not stop: ending it');
      worker.process.kill('SIGKILL');
    }
  }, milliseconds);
  await Promise.all(exited);
  clearTimeout(cut);
}
