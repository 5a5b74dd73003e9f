import { openSqlite } from './store.ts';
import type { SecretRow, SecretStore, Uses } from './verify-secret.ts';

interface Row extends Pick<SecretRow, 'id' | 'account_id' | 'name'> {
  readonly is_active: number;
  readonly expires_at: number | null;
  readonly works_until: number | null;
}

const date = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds));

/** Secrets in an SQLite file. */
export function openSqliteSecrets(file: string): SecretStore {
  const database = openSqlite(file);
  const find = database.prepare<[Buffer], Row>(
    `select k.id, k.account_id, k.name, k.is_active, k.expires_at, s.works_until
     from api_key_secret s join api_key k on k.id = s.api_key_id where s.digest = ?`,
  );
  const use = database.prepare('update api_key set last_used_at = ? where id = ?');
  return {
    find: (digest) => {
      const row = find.get(digest);
      return (
        row && {
          ...row,
          is_active: row.is_active === 1,
          expires_at: date(row.expires_at),
          works_until: date(row.works_until),
        }
      );
    },
    writeUses: database.transaction((uses: Uses) => {
      for (const [id, at] of uses) use.run(at.getTime(), id);
    }),
  };
}
