/** The environment cannot be used; the message has a line for each fault, and no value in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(
      `Keyward cannot start with this configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
      options,
    );
  }
}

/** What a start needs is not there now, whatever the configuration is; the message says what. */
export class NotThereError extends Error {
  override readonly name = 'NotThereError';
}

/** "Try again later": EX_TEMPFAIL of sysexits.h. */
const tryAgain = 75;

/**
 * Tells an operator in words what they can mend, and sets the exit code: 1, or 75 where only time is needed.
 * @throws any other error: only the unforeseen comes with a stack
 */
export function reportConfigError(error: unknown): void {
  const isLate = error instanceof NotThereError;
  if (!isLate && !(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = isLate ? tryAgain : 1;
}
