import { openSqlite } from './store.ts';
import { findSecret, type SecretRow, type SecretStore, type Uses } from './verify-secret.ts';

interface Row
  extends Omit<SecretRow, 'is_active' | 'is_blocked' | 'is_enabled' | 'expires_at' | 'paused_at' | 'works_until'> {
  readonly is_active: number;
  readonly is_blocked: number;
  readonly is_enabled: number | null;
  readonly expires_at: number | null;
  readonly paused_at: number | null;
  readonly works_until: number | null;
}

const date = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds));

/** Secrets in an SQLite file. */
export function openSqliteSecrets(file: string): SecretStore {
  const database = openSqlite(file);
  const find = database.prepare<[Buffer], Row>(findSecret('?'));
  const use = database.prepare('update api_key set last_used_at = ? where id = ?');
  return {
    find: (digest) => {
      const row = find.get(digest);
      return (
        row && {
          ...row,
          is_active: row.is_active === 1,
          is_blocked: row.is_blocked === 1,
          is_enabled: row.is_enabled === null ? null : row.is_enabled === 1,
          expires_at: date(row.expires_at),
          paused_at: date(row.paused_at),
          works_until: date(row.works_until),
        }
      );
    },
    writeUses: database.transaction((uses: Uses) => {
      for (const [id, at] of uses) use.run(at.getTime(), id);
    }),
  };
}
