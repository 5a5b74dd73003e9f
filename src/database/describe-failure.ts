import { DriverException } from '@mikro-orm/core';
import { OutcomeUnknownError } from './failures.ts';
import { describeServerFault, isPassing, type ServerError } from './postgresql/server-faults.ts';
import { describeFault } from './sqlite/file.ts';

/** A failure of the database that anybody can meet, and that is no bug. */
export interface DatabaseFailure {
  /** What failed, and what an operator can do. */
  readonly message: string;
  /** Whether the database may work again later. */
  readonly isPassing: boolean;
}

/** A closed output reports the same code as a broken connection. Only the ORM's error is the database's. */
const isOfOutput = (error: ServerError): boolean =>
  error.code === 'EPIPE' && !(error instanceof DriverException);

function describeSqlite(error: ServerError): string {
  const fault = describeFault(error);
  if (fault !== undefined) return `The SQLite file cannot be used: ${fault}.`;
  const [reason] = error.message.split('\n');
  return `SQLite refuses a statement (${error.code}: ${reason}): has somebody changed the tables? Restore a backup.`;
}

/**
 * Describes an error of either database at any time, in one sentence without values.
 * @returns undefined if the error does not come from the database
 */
export function describeFailure(error: ServerError): DatabaseFailure | undefined {
  if (error instanceof OutcomeUnknownError) {
    const message = `${describeServerFault(error.cause as ServerError) ?? 'The connection to PostgreSQL failed.'} It is unknown whether the last change was made.`;
    return { message, isPassing: true };
  }
  if (isOfOutput(error)) return undefined;
  if (String(error.code).startsWith('SQLITE_')) return { message: describeSqlite(error), isPassing: false };
  const message = describeServerFault(error);
  return message === undefined ? undefined : { message, isPassing: isPassing(error) };
}
