import { DriverException } from '@mikro-orm/core';
import { reportConfigError } from '../config/config-error.ts';
import { OutcomeUnknownError } from '../database/failures.ts';
import { GatewayError } from '../errors.ts';

/** What a database or the system may refuse at any moment. */
const isForeseen = (error: unknown): error is Error =>
  [DriverException, OutcomeUnknownError, GatewayError].some((kind) => error instanceof kind) ||
  (error instanceof Error && 'syscall' in error);

/**
 * Says in words what has ended a command, and sets the exit code.
 * @throws what was not foreseen: that comes with a stack
 */
export function reportFault(error: unknown): void {
  if (isForeseen(error)) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else reportConfigError(error);
}
