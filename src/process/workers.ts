import cluster from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config, DatabaseConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { openDatabase } from '../database/database.ts';
import { prepareSchema } from '../database/migrate.ts';
import { endOf, type ForkedWorker, forkWorker, giveSigns, sendToSupervisor } from './forked-worker.ts';
import { createProcessLogger, stopMilliseconds } from './process-logger.ts';
import type { Service } from './service.ts';
import type { Stopped } from './signals.ts';
import { warnOfRisks } from './warn-of-risks.ts';

/** The time limit of the workers' stop, in milliseconds. It is longer than the workers' own limit. */
const graceMilliseconds = stopMilliseconds + 250;

/**
 * The time limit of the supervisor's own stop, in milliseconds. It is the longest limit, because the supervisor waits
 * for the workers, also for those that it kills at their limit: on a busy machine, their end comes late.
 */
const ownGraceMilliseconds = stopMilliseconds + 2000;

/**
 * A worker that dies sooner than this, in milliseconds, may die again at once. So each such worker in a row waits
 * twice as long for its replacement, between `leastWait` and `mostWait`.
 */
const settledMilliseconds = 10_000;
const leastWait = 200;
const mostWait = 30_000;

/**
 * Starts the service in several processes that share its port. The first process only supervises: it prepares the
 * schema, replaces workers that die, and ends all workers at its disposal.
 * @param stopped resolves when a signal tells this process to stop
 * @throws {ConfigError} if the workers cannot start
 */
export const startWorkers = (config: Config, stopped: Stopped): Promise<Service> =>
  cluster.isPrimary ? supervise(config, stopped) : work(config, stopped);

async function supervise(config: Config, stopped: Stopped): Promise<Service> {
  await using started = new AsyncDisposableStack();
  const { logger } = await createProcessLogger(config, started, stopped, ownGraceMilliseconds);
  await prepareDatabase(config.database, logger);
  if (config.metrics) {
    const { startClusterMetrics } = await import('../observability/metrics/start-metrics.ts');
    started.use(await startClusterMetrics(config.metrics));
  }
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  started.defer(() => stop(logger, config.shutdownDelay + graceMilliseconds));
  const fork = () => forkWorker(logger);
  // One worker starts alone: a fault that keeps it from starting would keep all workers, and so is reported only
  // once.
  const first = fork();
  const greeting = await untilReady(first, stopping.signal);
  const others = stopping.signal.aborted ? [] : Array.from({ length: config.workers - 1 }, fork);
  await Promise.all(others.map((other) => untilReady(other, stopping.signal)));
  for (const forked of [first, ...others]) void keepRunning(forked, fork, stopping.signal, logger);
  return Object.assign(started.move(), { greeting });
}

/** Runs the service in a worker, which sends its greeting to the supervisor. */
async function work(config: Config, stopped: Stopped): Promise<Service> {
  await using started = new AsyncDisposableStack();
  // The channel to the supervisor would keep the process alive.
  started.defer(() => void cluster.worker?.disconnect());
  started.use(giveSigns());
  const { startService } = await import('./service.ts');
  const service = started.use(await startService(config, stopped));
  sendToSupervisor({ greeting: service.greeting });
  return Object.assign(started.move(), { greeting: '' });
}

async function prepareDatabase(config: DatabaseConfig, logger: Logger): Promise<void> {
  await using database = await openDatabase(config);
  warnOfRisks(database, logger);
  await prepareSchema(database, config);
}

/** A signal to the whole process group may reach the supervisor this much later than a worker, in milliseconds. */
const signalPatience = 500;

/**
 * Waits until a worker is ready.
 * @returns the worker's greeting; empty if the service is told to stop first
 * @throws {ConfigError} if the worker ends before it is ready
 */
async function untilReady({ greeting, exited }: ForkedWorker, stopping: AbortSignal): Promise<string> {
  const outcome = await Promise.race([greeting, exited, aborted(stopping)]);
  if (typeof outcome === 'string') return outcome;
  // A signal to the whole group may end a worker that does not listen yet, and reach this process later.
  if (outcome?.signal) await Promise.race([aborted(stopping), delay(signalPatience)]);
  if (stopping.aborted) return '';
  throw new ConfigError(['WORKERS: a worker stopped before it was ready. See its own message']);
}

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

/** Replaces a worker each time that it dies: at once, or after a pause if its predecessors also died soon. */
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

/** Tells all workers to stop, and kills the workers that still run after the time limit. */
async function stop(logger: Logger, milliseconds: number): Promise<void> {
  const workers = Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead());
  if (workers.length > 0) logger.info({ workers: workers.length }, 'waiting for the workers');
  const exited = workers.map(async (worker) => {
    const ending = await endOf(worker);
    if (ending.exitCode !== 0) logger.warn({ worker: worker.process.pid, ...ending }, 'a worker has ended');
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
