import { setTimeout as delay } from 'node:timers/promises';
import type { TrustedIssuer } from './auth/trusted-issuer.ts';
import type { Database } from './database/database.ts';

/** How long an answer of the database counts, in milliseconds: however often it is asked, this is no load. */
const remembered = 1000;

/** How long the database may take to answer, in milliseconds. */
const patience = 2000;

/**
 * Whether requests can be served: the database answers, and there are verification keys of an issuer.
 * @returns asks, at most once a second and once at a time; never rejects
 */
export function createReadiness(
  { em }: Pick<Database, 'em'>,
  trusted: readonly Pick<TrustedIssuer, 'keys'>[],
): () => Promise<boolean> {
  let query: Promise<boolean> | undefined;
  const ask = (): Promise<boolean> => {
    query ??= em
      .getConnection()
      .execute('select 1')
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        query = undefined;
      });
    // One that hangs is not asked again: it would take up another connection.
    return Promise.race([query, delay(patience, false, { ref: false })]);
  };

  let answer: Promise<boolean> | undefined;
  let askedAt = 0;
  const databaseAnswers = (): Promise<boolean> => {
    if (answer && performance.now() - askedAt < remembered) return answer;
    askedAt = performance.now();
    answer = ask();
    return answer;
  };

  const hasKeys = () => trusted.some(({ keys }) => (keys.current?.size ?? 0) > 0);
  return async () => hasKeys() && (await databaseAnswers());
}
