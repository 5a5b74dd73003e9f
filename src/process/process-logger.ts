import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { LogOutput } from '../observability/log-output.ts';
import { createLogger } from '../observability/logger.ts';
import { endInTime, stopMilliseconds } from './end-in-time.ts';
import { endAtUnexpectedErrors } from './unexpected-errors.ts';

/** The log of a process, and where it goes. */
export interface ProcessLog {
  readonly logger: Logger;
  readonly output: LogOutput;
}

/**
 * The log of this process; where there are several workers, each line says which has written it. A stop that takes too
 * long goes to it and ends the process.
 * @param started until this is disposed of, errors that nobody has caught go to the log and end the process
 * @param stopped resolves when the process is told to stop
 * @param grace how long it may take then beyond SHUTDOWN_DELAY, in milliseconds
 */
export async function createProcessLogger(
  { logLevel, workers, shutdownDelay }: Config,
  started: AsyncDisposableStack,
  stopped: Promise<void>,
  grace = stopMilliseconds,
): Promise<ProcessLog> {
  // Asked of Node, which makes a pipe one that does not block.
  const output = new LogOutput(process.stdout.fd);
  const logger = await createLogger(logLevel, output);
  process.once('exit', () => output.flushSync());
  const own = workers > 1 ? logger.child({ pid: process.pid }) : logger;
  started.use(endAtUnexpectedErrors(own));
  void endInTime(stopped, shutdownDelay + grace, own);
  return { logger: own, output };
}
