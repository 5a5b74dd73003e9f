import pg from 'pg';
import { findSecret, type SecretRow, type SecretStore } from './verify-secret.ts';

// By its name, the server prepares it once for each connection.
const find = { name: 'find-secret', text: findSecret('$1') };

const use = `update api_key set last_used_at = u.at
  from unnest($1::int[], $2::timestamptz[]) as u (id, at) where api_key.id = u.id`;

/** Secrets in PostgreSQL, with as many connections as Keyward has. */
export function openPostgresSecrets(connectionString: string): SecretStore {
  const pool = new pg.Pool({ connectionString, max: 10 });
  // A connection that ends while it is idle is no reason to end.
  pool.on('error', () => {});
  return {
    find: async (digest) => (await pool.query<SecretRow>({ ...find, values: [digest] })).rows[0],
    writeUses: async (uses) => {
      await pool.query(use, [[...uses.keys()], [...uses.values()]]);
    },
  };
}
