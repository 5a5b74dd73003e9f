import { CompiledQuery } from 'kysely';

/**
 * The settings that change how PostgreSQL writes values, reads them, or runs statements together. The database, the
 * user or the server may have others.
 *
 * They are set by a statement. A pooler in transaction mode keeps those that PostgreSQL reports to its clients
 * (`DateStyle`, `TimeZone`) for each client, and refuses unknown ones at the start of a connection. The rest matters
 * less: `pg` reads both forms of `bytea`, nothing here reads an interval, each transaction names its isolation level, and
 * a single statement that fails because of another level runs again.
 */
const settings = {
  datestyle: 'ISO, YMD',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
};

type Setting = keyof typeof settings;

/** What PostgreSQL tells of a session. */
type SessionRow = Record<Setting, string> & { readonly standby: boolean; readonly read_only: string };

const assignments = Object.entries(settings)
  .map(([name, value]) => `set_config('${name}', '${value}', false) as ${name}`)
  .join(', ');

/** Sets the settings of a session, and asks whether its server takes writes; in one round trip. */
export const openSession = CompiledQuery.raw(
  `select ${assignments}, pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only`,
);

/** The encoding of the client is a part of the protocol, and `pg` always asks for UTF-8. */
const isApplied = (row: SessionRow): boolean =>
  Object.entries(settings).every(([name, value]) => row[name as Setting] === value);

/**
 * Reads the answer to {@link openSession}.
 * @returns whether the server takes no writes: it is a standby, or read-only
 * @throws {Error} if a setting was not applied
 */
export function isReadOnlySession([row]: readonly unknown[]): boolean {
  const session = row as SessionRow;
  if (!isApplied(session)) throw new Error('PostgreSQL did not apply the settings of a session');
  return session.standby || session.read_only === 'on';
}
