/** What PostgreSQL says of an error, as `pg` and the ORM hand it on. */
interface ServerError extends Error {
  /** Its SQLSTATE. */
  readonly code?: unknown;
  /** The function of the server's that has raised it. */
  readonly routine?: unknown;
}

/**
 * Whether a named statement is planned for what was there before a migration: "cached plan must not change result
 * type". Its SQLSTATE alone says too little, its text comes in the server's language.
 */
export const isStalePlan = ({ code, routine }: ServerError): boolean =>
  code === '0A000' && routine === 'RevalidateCachedQuery';

/** Whether a connection lacks a statement that was prepared on it, or has one that was not: there is a pooler between. */
export const isStrayStatement = ({ code }: ServerError): boolean => code === '26000' || code === '42P05';

/**
 * Whether a statement failed for how it was prepared, and not for what it is: nothing of it was carried out, and it is
 * prepared in another way from then on.
 */
export const isLostStatement = (error: unknown): boolean =>
  error instanceof Error && (isStalePlan(error) || isStrayStatement(error));
