import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogOutput } from './log-output.ts';

/**
 * The process's log: readable lines in a terminal, one JSON object a line otherwise.
 * @param level the least that is written
 */
export async function createLogger(level: string, output: LogOutput): Promise<Logger> {
  const logger = process.stdout.isTTY
    ? pino({ level, base: null }, await readable(output))
    : pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
  output.onRecovery = (dropped) => logger.warn({ dropped }, 'the log could not be written: lines are lost');
  return logger;
}

/** An output for a reader. What makes its lines is loaded for a terminal alone. */
async function readable(output: LogOutput): Promise<DestinationStream & Pick<LogOutput, 'flushSync'>> {
  const { prettyFactory } = await import('pino-pretty');
  const toText = prettyFactory({ translateTime: 'HH:MM:ss.l' });
  return { write: (line) => output.write(toText(line)), flushSync: () => output.flushSync() };
}
