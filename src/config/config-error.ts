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
