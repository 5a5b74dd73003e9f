import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { DatabaseConfig } from '../../config/config.ts';
import { ConfigError, NotThereError } from '../../config/config-error.ts';
import { databaseOf } from '../../config/values/database-url.ts';
import type { Backend, Warn } from '../backend.ts';
import { PostgresDialect } from './driver.ts';
import { askAtOpening, readOpening } from './opening.ts';
import { PostgresPool } from './pool.ts';
import { describeServerFault, isPassing, type ServerError } from './server-faults.ts';

/** The backend for PostgreSQL, with a pool of connections. */
export function postgresOptions(config: DatabaseConfig, warn: Warn): Backend {
  const pool = new PostgresPool(config, warn);
  return {
    options: {
      driver: PostgreSqlDriver,
      dbName: databaseOf(config.url),
      driverOptions: new PostgresDialect(pool),
      // Otherwise the ORM would try to create a missing database, and hide that it is missing.
      ensureDatabase: false,
    },
    examine: async (run) => readOpening(await run(askAtOpening), config.url),
    pool: pool.figures,
    check: () => checkServer(pool),
    refuse: refuseServer,
  };
}

interface State {
  readonly standby: boolean;
  readonly read_only: string;
}

const state = CompiledQuery.raw(
  "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only",
);

/**
 * Asks PostgreSQL whether it accepts writes, in one round trip.
 * @returns the reason why it accepts none, in words; undefined if it does
 * @throws {Error} if it does not answer in time
 */
async function checkServer(pool: PostgresPool): Promise<string | undefined> {
  const [found] = await pool.query<State>(state);
  if (found?.standby) return 'PostgreSQL takes no writes: it is a standby';
  return found?.read_only === 'on' ? 'PostgreSQL takes no writes: it is read-only' : undefined;
}

/** What is wrong with a server's TLS, by Node's error code or the message of `pg`. */
const tlsFaults: readonly (readonly [code: RegExp, what: string])[] = [
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/,
    'whose certificate no known authority has signed: name the certificate of its authority in sslrootcert, or accept any certificate with sslmode=no-verify, as Heroku needs',
  ],
  [/ALTNAME_INVALID/, 'whose certificate is for another host: use the host that the certificate names'],
  [/CERT_HAS_EXPIRED/, 'whose certificate has expired: renew it'],
  [/CERT_NOT_YET_VALID/, 'whose certificate is not valid yet: are the clocks right?'],
  [/does not support SSL/, 'that does not speak TLS: turn it on there, or use sslmode=disable'],
  [/^ERR_(SSL|TLS|OSSL)/, 'whose TLS fails: are sslcert, sslkey and sslrootcert right?'],
];

/**
 * Describes why PostgreSQL is unusable, by the error's code. The message shows nothing of the URL, which may hold a
 * password.
 * @throws {NotThereError} if PostgreSQL may be available later
 * @throws {ConfigError} for all other errors
 */
export function refuseServer(error: ServerError): never {
  if (error instanceof ConfigError) throw error;
  const reason = String(error.code ?? error.message);
  if (isPassing(error)) {
    throw new NotThereError(
      `Keyward cannot start: the PostgreSQL of DATABASE_URL takes no connection now (${reason}). It ends with exit code 75, to be started again.`,
      { cause: error },
    );
  }
  const ofTls = tlsFaults.find(([pattern]) => pattern.test(reason));
  const fault = ofTls
    ? `DATABASE_URL names a server ${ofTls[1]} (${reason})`
    : (describeServerFault(error)?.replace(/\.$/, '') ??
      `DATABASE_URL names a database that cannot be used (${reason}): are its name, user and password right?`);
  throw new ConfigError([fault], { cause: error });
}
