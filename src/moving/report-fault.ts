import { DriverException } from '@mikro-orm/core';
import { reportConfigError } from '../config/config-error.ts';

const isOfSystem = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

/**
 * Says in words what has ended a command, and sets the exit code.
 * @throws what was not foreseen: that comes with a stack
 */
export function reportFault(error: unknown): void {
  if (isOfSystem(error) || error instanceof DriverException) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else reportConfigError(error);
}
