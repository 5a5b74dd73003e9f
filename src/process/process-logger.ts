import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createLogger, describeError, LogOutput } from '../observability/log.ts';
import type { Stopped } from './signals.ts';

/** The offset of an exit code that stands for a signal: 128 plus the signal's number, as in a shell. */
const signalled = 128;

/** Logs the beginning of a stop, and its end after the disposal of all parts. */
function logStop(logger: Logger, started: AsyncDisposableStack, stopped: Stopped): void {
  let begunAt: number | undefined;
  void stopped.then((signal) => {
    begunAt = performance.now();
    logger.info({ signal }, 'stopping');
  });
  // The stack disposes of its first entry last. A failed start logs nothing here, because standard error has the
  // reason.
  started.defer(() => {
    if (begunAt === undefined) return;
    logger.info({ milliseconds: Math.round(performance.now() - begunAt) }, 'stopped');
  });
}

/**
 * Logs an uncaught error or unhandled rejection and ends the process with exit code 1. The error may have left any
 * state behind, so a supervisor must start the process again. Disposal removes this handler.
 */
function endAtUnexpectedErrors(logger: Logger): Disposable {
  const end = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    try {
      logger.fatal({ origin, error: describeError(error) }, 'unexpected error: ending the process');
    } finally {
      process.exit(1);
    }
  };
  process.on('uncaughtException', end);
  return { [Symbol.dispose]: () => void process.off('uncaughtException', end) };
}

/**
 * The time limit of a stop after SHUTDOWN_DELAY, in milliseconds. With the time for the last log line, a stop takes
 * less than ten seconds.
 */
export const stopMilliseconds = 9000;

/**
 * Ends the process if its stop takes too long, whatever the stop waits for: a database, a collector, a name server.
 * @param stopped resolves when a signal tells the process to stop
 * @param milliseconds the time limit after the signal
 */
async function endInTime(stopped: Stopped, milliseconds: number, logger: Logger): Promise<void> {
  await stopped;
  setTimeout(() => {
    const waitingFor = [...new Set(process.getActiveResourcesInfo())];
    logger.fatal({ waitingFor }, 'stopping takes too long: ending the process');
    endNow();
  }, milliseconds).unref();
}

function endNow(): never {
  // Node's own exit waits for its threads, and a thread may hang too.
  process.kill(process.pid, 'SIGKILL');
  // A container's first process cannot be killed from inside the container.
  process.exit(1);
}

/**
 * Makes the log of this process. With several workers, each line has the worker's process id. The log reports the
 * beginning of a stop and its end: a complete stop, a stop that took too long, or a second signal that ended the
 * process.
 * @param started until its disposal, uncaught errors go to the log and end the process; its disposal is the stop
 * @param stopped resolves when a signal tells the process to stop
 * @param grace the time limit of the stop after SHUTDOWN_DELAY, in milliseconds
 */
export async function createProcessLogger(
  { logLevel, workers, shutdownDelay }: Config,
  started: AsyncDisposableStack,
  stopped: Stopped,
  grace = stopMilliseconds,
) {
  // Reading `process.stdout` makes Node set a pipe to non-blocking.
  const output = new LogOutput(process.stdout.fd);
  const logger = await createLogger(logLevel, output);
  const own = workers > 1 ? logger.child({ pid: process.pid }) : logger;
  process.once('exit', (exitCode) => {
    if (exitCode > signalled) own.warn({ exitCode }, 'a second signal: ending at once');
    output.flushSync();
  });
  logStop(own, started, stopped);
  started.use(endAtUnexpectedErrors(own));
  void endInTime(stopped, shutdownDelay + grace, own);
  return { logger: own, output };
}
