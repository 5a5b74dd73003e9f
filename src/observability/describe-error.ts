/** An error for the log. Of a database's error no message is kept: it repeats the values of the query. */
export function describeError(error: unknown): Record<string, unknown> | undefined {
  if (!(error instanceof Error)) return error === undefined ? undefined : { type: typeof error };
  const { code } = error as { code?: unknown };
  const fromDatabase = /Exception$|^(SqliteError|NotFoundError|ValidationError)$/.test(error.name);
  const frames = error.stack?.split('\n').filter((frame) => /^\s+at /.test(frame));
  return {
    type: error.name,
    code,
    message: fromDatabase ? undefined : error.message,
    stack: frames?.slice(0, 12).map((frame) => frame.trim()),
    cause: describeError(error.cause),
  };
}
