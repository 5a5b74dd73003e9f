/** The configuration is unusable. The message has a line for each fault, and never shows a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(
      `Keyward cannot start with this configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
      options,
    );
  }
}

/** Something that the start needs is missing at the moment, whatever the configuration says. The message names it. */
export class NotThereError extends Error {
  override readonly name = 'NotThereError';
}

/** The exit code for "try again later": EX_TEMPFAIL of sysexits.h. */
const tryAgain = 75;

/**
 * Writes the message of an error that an operator can mend to standard error, and sets the exit code: 1, or 75 if the
 * operator only needs to wait.
 * @throws any other error, so that only an unforeseen error appears with its stack trace
 */
export function reportConfigError(error: unknown): void {
  const isLate = error instanceof NotThereError;
  if (!isLate && !(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = isLate ? tryAgain : 1;
}
