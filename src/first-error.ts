/**
 * The error that came first. If the disposal of a resource fails after another error, JavaScript throws a
 * `SuppressedError` in place of both, and its message names neither.
 */
export const firstError = (error: unknown): unknown =>
  error instanceof SuppressedError ? firstError(error.suppressed) : error;
