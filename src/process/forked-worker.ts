import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';

/** The interval at which a worker sends a sign of life, in milliseconds. */
const signInterval = 1000;

/** A message of a worker to its supervisor. Metrics use the same channel, with messages of their own. */
type WorkerMessage = 'alive' | { readonly greeting: string };

/** The greeting in a message; undefined for any other message. */
const greetingOf = (message: unknown): string | undefined =>
  (message as { greeting?: string } | null)?.greeting;

/** Sends a message to the supervisor, if the supervisor is still connected. */
export function sendToSupervisor(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}

/** Sends a sign of life every second, as long as this worker's event loop turns. Disposal stops the signs. */
export const giveSigns = (): Disposable => setInterval(() => sendToSupervisor('alive'), signInterval).unref();

/**
 * After this number of intervals without a sign, the supervisor ends a worker. The last sign is then at least ten
 * seconds old.
 */
const mostSilent = 11;

/** A worker, with its start, its greeting and its end. */
export type ForkedWorker = ReturnType<typeof forkWorker>;

/** Starts a worker. A worker without a sign of life for ten seconds hangs, so the supervisor kills it. */
export function forkWorker(logger: Logger) {
  const worker = cluster.fork();
  /** Resolves with the worker's greeting when the worker is ready. */
  const greeting = new Promise<string>((resolve) => {
    worker.on('message', (message) => {
      const text = greetingOf(message);
      if (text !== undefined) resolve(text);
    });
  });
  /** Resolves with the worker's end: by a signal, or with an exit code. */
  const exited = endOf(worker);
  const timer = endIfSilent(worker, logger);
  void exited.then(() => clearInterval(timer));
  return { worker, forkedAt: performance.now(), greeting, exited };
}

/** Waits for the end of a worker. */
export async function endOf(worker: Worker) {
  const [exitCode, signal] = (await once(worker, 'exit')) as [number | null, NodeJS.Signals | null];
  return { exitCode, signal };
}

function endIfSilent(worker: Worker, logger: Logger): NodeJS.Timeout {
  let silent = 0;
  worker.on('message', () => {
    silent = 0;
  });
  // The timer counts intervals and compares no clock times. If the supervisor itself stood still, the worker's signs
  // are still unread, and elapsed time would blame the worker.
  return setInterval(() => {
    silent += 1;
    if (silent !== mostSilent) return;
    logger.warn({ worker: worker.process.pid }, 'a worker gives no sign: ending it');
    worker.process.kill('SIGKILL');
  }, signInterval).unref();
}
