import { type Logger, pino } from 'pino';

/**
 * The process's log: readable lines in a terminal, one JSON object a line otherwise.
 * @param level the least that is written
 */
export async function createLogger(level: string): Promise<Logger> {
  if (!process.stdout.isTTY) return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  // Loaded for a terminal alone.
  const { build } = await import('pino-pretty');
  return pino({ level, base: null }, build({ translateTime: 'HH:MM:ss.l', sync: true }));
}
