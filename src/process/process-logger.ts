import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createLogger, LogOutput } from '../observability/log.ts';
import { endInTime, stopMilliseconds } from './end-in-time.ts';
import type { Stopped } from './signals.ts';
import { endAtUnexpectedErrors } from './unexpected-errors.ts';

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
