import type { Logger } from 'pino';
import { describeError } from '../observability/describe-error.ts';

/**
 * Logs an error that nobody has caught, a rejection among them, and ends the process with exit code 1: nothing is known
 * of the state that it has left, so a supervisor is to start anew. Until it is disposed of.
 */
export function endAtUnexpectedErrors(logger: Logger): Disposable {
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
