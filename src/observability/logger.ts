import { type Logger, pino } from 'pino';
import { build as pretty } from 'pino-pretty';

/**
 * The process's log: readable lines in a terminal, one JSON object a line otherwise.
 * @param level the least that is written
 */
export const createLogger = (level: string): Logger =>
  process.stdout.isTTY
    ? pino({ level, base: null }, pretty({ ignore: 'hostname,pid', translateTime: 'HH:MM:ss.l', sync: true }))
    : pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
