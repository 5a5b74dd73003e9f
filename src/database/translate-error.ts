import {
  ConstraintViolationException,
  DeadlockException,
  DriverException,
  LockWaitTimeoutException,
  ReadOnlyException,
  ServerException,
} from '@mikro-orm/core';
import { type GatewayError, outcomeUnknown, serviceUnavailable, toGatewayError, unwrap } from '../errors.ts';
import { OutcomeUnknownError } from './outcome-unknown.ts';

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
