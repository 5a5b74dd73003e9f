import {
  ConstraintViolationException,
  DeadlockException,
  DriverException,
  LockWaitTimeoutException,
  ReadOnlyException,
  ServerException,
} from '@mikro-orm/core';
import { type GatewayError, outcomeUnknown, serviceUnavailable, toGatewayError, unwrap } from '../errors.ts';
import { isPassing as isGoneForNow } from './postgresql/server-faults.ts';

/** COMMIT was sent and never answered: the change may have been made or not. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';

  /** @param cause the error that ended the connection */
  constructor(cause: unknown) {
    super('the connection ended before COMMIT was answered', { cause });
  }
}

/** The database cannot be reached now; the cause is its error. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';

  constructor(cause: unknown) {
    super('the database is away', { cause });
  }
}

/**
 * A stored value is not what its column holds: somebody has changed it or the column, or a setting of the database
 * changes how it is written. Nothing is decided by such a value.
 */
export class UnexpectedValueError extends Error {
  override readonly name = 'UnexpectedValueError';

  /**
   * @param place the column
   * @param value the value; the message only has its type
   */
  constructor(place: string, value: unknown) {
    super(`unexpected value in the database, in ${place}: ${value === null ? 'null' : typeof value}`);
  }
}

/** An error of PostgreSQL, as `pg` and the ORM pass it on. */
interface ServerError extends Error {
  /** The SQLSTATE. */
  readonly code?: unknown;
  /** The server's function that raised the error. */
  readonly routine?: unknown;
}

/**
 * Whether the plan of a named statement is older than a migration: "cached plan must not change result type". The
 * SQLSTATE alone is ambiguous, and the text is in the server's language.
 */
export const isStalePlan = ({ code, routine }: ServerError): boolean =>
  code === '0A000' && routine === 'RevalidateCachedQuery';

/** Whether a connection lacks a prepared statement, or has an unexpected one: the sign of a pooler in between. */
export const isStrayStatement = ({ code }: ServerError): boolean => code === '26000' || code === '42P05';

/**
 * Whether a statement failed only because of its preparation. PostgreSQL then executed nothing of it, and the service
 * prepares it in another way after that.
 */
export const isLostStatement = (error: unknown): boolean =>
  error instanceof Error && (isStalePlan(error) || isStrayStatement(error));

const passing = [DeadlockException, LockWaitTimeoutException, ReadOnlyException];

const isSqlState = (code: unknown): code is string => /^(?=.*\d)[\dA-Z]{5}$/.test(String(code));

/**
 * PostgreSQL's classes of errors (SQLSTATE) that may be gone at another attempt: connection, log-in, database,
 * deadlock, read-only, an idle transaction, resources, lock, shutdown and start, its disk; and a column that somebody
 * has given another type, or a constraint that a newer version has replaced. All other classes are faults of the query.
 */
const passingState = /^(08|28|3D|40|25006|25P03|42804|42883|42P10|53|55P03|57|58)/;

const isPassing = (error: DriverException): boolean => {
  if (isSqlState(error.code)) return passingState.test(error.code);
  return !(error instanceof ServerException) || passing.some((kind) => error instanceof kind);
};

/** Whether the database is missing, full or locked. A refused query does not count. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof DriverException && !(error instanceof ConstraintViolationException) && isPassing(error);

/** A statement that took too long, or was cancelled; a server that takes no writes. */
const timeOrWrites = /^(57014|25006)$/;

/** A database that was dropped: PostgreSQL ends its connections, and is there. */
const dropped = '57P04';

/** SQLite's errors of a file that cannot be reached, or of another process's lock. One with foreign content is there. */
const unreachableFile = /^SQLITE_(BUSY|CANTOPEN|FULL|IOERR(?!_DATA|_CORRUPTFS)|LOCKED|PROTOCOL|READONLY)/;

/**
 * Whether an error means that the database cannot be reached now: it refuses or loses connections, has none left, is
 * silent, starts or stops, or takes no writes. Any other error is the answer of a database that is there, such as
 * another password or a missing table.
 */
export function isAway(error: unknown): boolean {
  if (!(error instanceof DriverException)) return false;
  const code = String(error.code);
  if (code.startsWith('SQLITE_')) return unreachableFile.test(code);
  return timeOrWrites.test(code) || (code !== dropped && isGoneForNow(error));
}

/**
 * Converts any error to a GatewayError. A database that does not answer becomes `SERVICE_UNAVAILABLE`, and at COMMIT
 * `OUTCOME_UNKNOWN`.
 */
export function translateError(error: unknown): GatewayError {
  const inner = unwrap(error);
  if (inner instanceof OutcomeUnknownError) return outcomeUnknown('database', inner);
  if (inner instanceof UnexpectedValueError) return serviceUnavailable('unexpected-value', inner);
  // The log has said why when the outage began.
  if (inner instanceof DatabaseAwayError) return serviceUnavailable('database-away');
  return isUnavailable(inner) ? serviceUnavailable('database', inner) : toGatewayError(inner);
}
