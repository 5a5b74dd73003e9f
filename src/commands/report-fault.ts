import { ConfigError, NotThereError } from '../config/config-error.ts';
import { describeFailure } from '../database/describe-failure.ts';
import { UnexpectedValueError } from '../database/failures.ts';
import { GatewayError } from '../errors.ts';
import { firstError } from '../first-error.ts';
import { CommandError } from './command-error.ts';
import { describeSystemFault } from './system-fault.ts';

/** The exit code for "try again later": EX_TEMPFAIL of sysexits.h. */
const tryAgain = 75;

/** The errors whose own message is for an operator. */
const inWords = [ConfigError, CommandError, UnexpectedValueError, GatewayError];

/** The message and the exit code for an error that is no bug; undefined for a bug. */
function describe(error: Error): readonly [message: string, exitCode: number] | undefined {
  if (error instanceof NotThereError) return [error.message, tryAgain];
  if (inWords.some((kind) => error instanceof kind)) return [error.message, 1];
  const failure = describeFailure(error);
  if (failure) return [failure.message, failure.isPassing ? tryAgain : 1];
  const fault = describeSystemFault(error);
  return fault === undefined ? undefined : [fault, 1];
}

/**
 * Reports the error that has ended a command or the start of the service, and sets the exit code: 75 if the operator
 * only needs to wait, and otherwise 1. If a clean-up failed after another error, that other error is reported.
 * @throws a bug, so that its stack trace appears
 */
export function reportFault(given: unknown): void {
  const error = firstError(given);
  const described = error instanceof Error ? describe(error) : undefined;
  if (!described) throw error;
  process.stderr.write(`${described[0]}\n`);
  process.exitCode = described[1];
}
