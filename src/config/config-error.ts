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

/**
 * Tells an operator in words what they can mend, and sets exit code 1.
 * @throws any other error: only the unforeseen comes with a stack
 */
export function reportConfigError(error: unknown): void {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
