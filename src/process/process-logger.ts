import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createLogger } from '../observability/logger.ts';
import { endAtUnexpectedErrors } from './unexpected-errors.ts';

/**
 * The log of this process; where there are several workers, each line says which has written it.
 * @param started until this is disposed of, errors that nobody has caught go to the log and end the process
 */
export async function createProcessLogger(
  { logLevel, workers }: Config,
  started: AsyncDisposableStack,
): Promise<Logger> {
  const logger = await createLogger(logLevel);
  const own = workers > 1 ? logger.child({ pid: process.pid }) : logger;
  started.use(endAtUnexpectedErrors(own));
  return own;
}
