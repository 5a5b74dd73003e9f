/** COMMIT was sent, and its answer never came: the change may have been made or not. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';

  /** @param cause how the connection ended */
  constructor(cause: unknown) {
    super('the connection ended before COMMIT was answered', { cause });
  }
}
