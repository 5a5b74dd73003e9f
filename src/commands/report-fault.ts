import { DriverException } from '@mikro-orm/core';
import { reportConfigError } from '../config/config-error.ts';
import { OutcomeUnknownError } from '../database/failures.ts';
import { GatewayError } from '../errors.ts';

/** Whether an error can be expected at any time: from the database, the system or the service. */
const isForeseen = (error: unknown): error is Error =>
  [DriverException, OutcomeUnknownError, GatewayError].some((kind) => error instanceof kind) ||
  (error instanceof Error && 'syscall' in error);

/**
 * Prints the error that has ended a command, and sets the exit code.
 * @throws an unexpected error unchanged, so that its stack trace appears
 */
export function reportFault(error: unknown): void {
  if (isForeseen(error)) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else reportConfigError(error);
}
