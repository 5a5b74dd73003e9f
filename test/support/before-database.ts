import { inject } from 'vitest';

/** Defines tests of what happens before a database is asked: on SQLite alone, since they would be the same on the other. */
export function beforeDatabase(define: () => void): void {
  if (inject('postgresUrl') === undefined) define();
}
