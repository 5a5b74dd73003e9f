import { CompiledQuery } from 'kysely';
import { PostgresConnection } from './connection.ts';
import type { PostgresPool } from './pool.ts';

interface State {
  readonly standby: boolean;
  readonly read_only: string;
}

const query = CompiledQuery.raw(
  "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only",
);

/**
 * Asks PostgreSQL whether it takes writes, in one round trip.
 * @returns why it takes none, in words; undefined: it does
 * @throws where it does not answer in time
 */
export async function checkServer(pool: PostgresPool): Promise<string | undefined> {
  const connection = new PostgresConnection(await pool.connect(), pool);
  try {
    const { rows } = await connection.executeQuery<State>(query);
    return whyReadOnly(rows[0] as State);
  } finally {
    connection.release();
  }
}

function whyReadOnly({ standby, read_only }: State): string | undefined {
  if (standby) return 'PostgreSQL takes no writes: it is a standby';
  return read_only === 'on' ? 'PostgreSQL takes no writes: it is read-only' : undefined;
}
