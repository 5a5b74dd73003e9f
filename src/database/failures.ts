import {
  ConstraintViolationException,
  DeadlockException,
  DriverException,
  LockWaitTimeoutException,
  ReadOnlyException,
  ServerException,
} from '@mikro-orm/core';
import { type GatewayError, outcomeUnknown, serviceUnavailable, toGatewayError, unwrap } from '../errors.ts';

/** COMMIT was sent, and its answer never came: the change may have been made or not. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';

  /** @param cause how the connection ended */
  constructor(cause: unknown) {
    super('the connection ended before COMMIT was answered', { cause });
  }
}

/** What PostgreSQL says of an error, as `pg` and the ORM hand it on. */
interface ServerError extends Error {
  /** Its SQLSTATE. */
  readonly code?: unknown;
  /** The function of the server's that has raised it. */
  readonly routine?: unknown;
}

/**
 * Whether a named statement is planned for what was there before a migration: "cached plan must not change result
 * type". Its SQLSTATE alone says too little, its text comes in the server's language.
 */
export const isStalePlan = ({ code, routine }: ServerError): boolean =>
  code === '0A000' && routine === 'RevalidateCachedQuery';

/** Whether a connection lacks a statement that was prepared on it, or has one that was not: there is a pooler between. */
export const isStrayStatement = ({ code }: ServerError): boolean => code === '26000' || code === '42P05';

/**
 * Whether a statement failed for how it was prepared, and not for what it is: nothing of it was carried out, and it is
 * prepared in another way from then on.
 */
export const isLostStatement = (error: unknown): boolean =>
  error instanceof Error && (isStalePlan(error) || isStrayStatement(error));

const passing = [DeadlockException, LockWaitTimeoutException, ReadOnlyException];

const isSqlState = (code: unknown): code is string => /^(?=.*\d)[\dA-Z]{5}$/.test(String(code));

/**
 * PostgreSQL's classes of error (SQLSTATE) that another attempt may not meet: connection, log-in, database, deadlock,
 * read-only, an idle transaction, resources, lock, shutdown and start, its disk. Others are about the query.
 */
const passingState = /^(08|28|3D|40|25006|25P03|53|55P03|57|58)/;

const isPassing = (error: DriverException): boolean => {
  if (isSqlState(error.code)) return passingState.test(error.code);
  return !(error instanceof ServerException) || passing.some((kind) => error instanceof kind);
};

/** A database that is not there, or full, or locked; not a query that it refuses. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof DriverException && !(error instanceof ConstraintViolationException) && isPassing(error);

/** Any error as a GatewayError; a database that does not answer is `SERVICE_UNAVAILABLE`, at COMMIT `OUTCOME_UNKNOWN`. */
export function translateError(error: unknown): GatewayError {
  const inner = unwrap(error);
  if (inner instanceof OutcomeUnknownError) return outcomeUnknown('database', inner);
  return isUnavailable(inner) ? serviceUnavailable('database', inner) : toGatewayError(inner);
}
