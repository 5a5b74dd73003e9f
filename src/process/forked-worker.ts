import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';

/** How often a worker gives a sign that it lives, in milliseconds. */
const signInterval = 1000;

/** What a worker tells the process that supervises it. Metrics take the same channel, with messages of their own. */
type WorkerMessage = 'alive' | { readonly greeting: string };

/** The greeting in a message, if it is one. */
const greetingOf = (message: unknown): string | undefined =>
  (message as { greeting?: string } | null)?.greeting;

/** Tells the process that supervises this one something, if it is still there. */
export function tellSupervisor(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}

/** Gives a sign each second that this worker lives: its event loop turns. Disposing of it ends that. */
export function giveSigns(): Disposable {
  const timer = setInterval(() => tellSupervisor('alive'), signInterval).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** After how many intervals without a sign a worker is ended: its last one was then ten seconds ago at least. */
const mostSilent = 11;

/** Why a worker has ended: by a signal, or with an exit code. */
export interface Ending {
  readonly signal: NodeJS.Signals | null;
  readonly exitCode: number | null;
}

/** A worker, and what is known of it from its first moment. */
export interface ForkedWorker {
  readonly worker: Worker;
  readonly forkedAt: number;
  /** Resolves with what it has to say once it is ready. */
  readonly greeting: Promise<string>;
  readonly exited: Promise<Ending>;
}

/** Starts a worker; one that gives no sign for ten seconds hangs, and is ended. */
export function forkWorker(logger: Logger): ForkedWorker {
  const worker = cluster.fork();
  const greeting = new Promise<string>((resolve) => {
    worker.on('message', (message) => {
      const text = greetingOf(message);
      if (text !== undefined) resolve(text);
    });
  });
  const exited = once(worker, 'exit').then(([exitCode, signal]): Ending => ({ exitCode, signal }));
  const timer = endIfSilent(worker, logger);
  void exited.then(() => clearInterval(timer));
  return { worker, forkedAt: performance.now(), greeting, exited };
}

function endIfSilent(worker: Worker, logger: Logger): NodeJS.Timeout {
  let silent = 0;
  worker.on('message', () => {
    silent = 0;
  });
  // Counted, not timed: where this process stood still as well, what the worker has sent meanwhile is not read yet.
  return setInterval(() => {
    silent += 1;
    if (silent !== mostSilent) return;
    logger.warn({ worker: worker.process.pid }, 'a worker gives no sign: ending it');
    worker.process.kill('SIGKILL');
  }, signInterval).unref();
}
