import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createLogger, describeError, LogOutput } from '../observability/log.ts';
import type { Stopped } from './signals.ts';

/** The log of a process, and where it goes. */
export interface ProcessLog {
  readonly logger: Logger;
  readonly output: LogOutput;
}

/** What a shell adds to the number of the signal that has ended a process, for its exit code. */
const signalled = 128;

/** Writes that a stop begins, and that it has ended when all others are done with. */
function tellStop(logger: Logger, started: AsyncDisposableStack, stopped: Stopped): void {
  let begunAt: number | undefined;
  void stopped.then((signal) => {
    begunAt = performance.now();
    logger.info({ signal }, 'stopping');
  });
  // The first to be put here is the last to be disposed of. A start that fails is told on the standard error.
  started.defer(() => {
    if (begunAt === undefined) return;
    logger.info({ milliseconds: Math.round(performance.now() - begunAt) }, 'stopped');
  });
}

/**
 * Logs an error that nobody has caught, a rejection among them, and ends the process with exit code 1: nothing is known
 * of the state that it has left, so a supervisor is to start anew. Until it is disposed of.
 */
function endAtUnexpectedErrors(logger: Logger): Disposable {
  const end = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    try {
      logger.fatal({ origin, error: describeError(error) }, 'an unexpected error: ending the process');
    } finally {
      process.exit(1);
    }
  };
  process.on('uncaughtException', end);
  return { [Symbol.dispose]: () => void process.off('uncaughtException', end) };
}

/** How long a stop may take beyond SHUTDOWN_DELAY, in milliseconds: with what its last line takes, less than ten seconds. */
export const stopMilliseconds = 9000;

/**
 * Ends the process once its stop has taken too long, whatever it still waits for: a database, a collector, a name server.
 * @param stopped resolves when it is told to stop
 * @param milliseconds how long it may take from then on
 */
async function endInTime(stopped: Stopped, milliseconds: number, logger: Logger): Promise<void> {
  await stopped;
  setTimeout(() => {
    const waitingFor = [...new Set(process.getActiveResourcesInfo())];
    logger.fatal({ waitingFor }, 'the stop takes too long: ending the process');
    endNow();
  }, milliseconds).unref();
}

function endNow(): never {
  // An exit of Node's own waits for its threads, and a thread may hang as well.
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container cannot be killed from inside.
  process.exit(1);
}

/**
 * The log of this process; where there are several workers, each line says which has written it. It tells when a stop
 * begins and how it ends: all is done, it took too long and the process is ended, or a second signal ends it.
 * @param started until this is disposed of, errors that nobody has caught go to the log and end the process; its
 *   disposal is the stop
 * @param stopped resolves when the process is told to stop
 * @param grace how long it may take then beyond SHUTDOWN_DELAY, in milliseconds
 */
export async function createProcessLogger(
  { logLevel, workers, shutdownDelay }: Config,
  started: AsyncDisposableStack,
  stopped: Stopped,
  grace = stopMilliseconds,
): Promise<ProcessLog> {
  // Asked of Node, which makes a pipe one that does not block.
  const output = new LogOutput(process.stdout.fd);
  const logger = await createLogger(logLevel, output);
  const own = workers > 1 ? logger.child({ pid: process.pid }) : logger;
  process.once('exit', (exitCode) => {
    if (exitCode > signalled) own.warn({ exitCode }, 'a second signal: ending at once');
    output.flushSync();
  });
  tellStop(own, started, stopped);
  started.use(endAtUnexpectedErrors(own));
  void endInTime(stopped, shutdownDelay + grace, own);
  return { logger: own, output };
}
