import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';

/** Warns of settings with which confirmed data can be lost, or read by others. */
export function warnOfRisks({ risks }: Pick<Database, 'risks'>, logger: Logger): void {
  for (const risk of risks) logger.warn(risk);
}
