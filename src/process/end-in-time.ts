import type { Logger } from 'pino';
import type { Stopped } from './signals.ts';

/** How long a stop may take beyond SHUTDOWN_DELAY, in milliseconds: with what its last line takes, less than ten seconds. */
export const stopMilliseconds = 9000;

/**
 * Ends the process once its stop has taken too long, whatever it still waits for: a database, a collector, a name server.
 * @param stopped resolves when it is told to stop
 * @param milliseconds how long it may take from then on
 */
export async function endInTime(stopped: Stopped, milliseconds: number, logger: Logger): Promise<void> {
  await stopped;
  setTimeout(() => {
    const waitingFor = [...new Set(process.getActiveResourcesInfo())];
    logger.fatal({ waitingFor }, 'the stop takes too long: ending the process');
    end();
  }, milliseconds).unref();
}

function end(): never {
  // An exit of Node's own waits for its threads, and a thread may hang as well.
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container cannot be killed from inside.
  process.exit(1);
}
