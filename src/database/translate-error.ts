import {
  ConstraintViolationException,
  DeadlockException,
  DriverException,
  LockWaitTimeoutException,
  ReadOnlyException,
  ServerException,
} from '@mikro-orm/core';
import { type GatewayError, serviceUnavailable, toGatewayError, unwrap } from '../errors.ts';

const passing = [DeadlockException, LockWaitTimeoutException, ReadOnlyException];

/** A database that is not there, or full, or locked; not a query that it refuses. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof DriverException &&
  !(error instanceof ConstraintViolationException) &&
  (!(error instanceof ServerException) || passing.some((kind) => error instanceof kind));

/** Any error as a GatewayError; a database that does not answer is `SERVICE_UNAVAILABLE`. */
export function translateError(error: unknown): GatewayError {
  const inner = unwrap(error);
  return isUnavailable(inner) ? serviceUnavailable('database', inner) : toGatewayError(inner);
}
