import { CompiledQuery } from 'kysely';
import { ConfigError } from '../../config/config-error.ts';
import { sslModeOf } from '../../config/values/database-url.ts';
import type { Findings } from '../backend.ts';
import { createDatabase } from './server-faults.ts';

/** What PostgreSQL tells of a database and its user. */
interface OpeningRow {
  readonly database: string;
  /** The user of the connection. */
  readonly role: string;
  readonly encoding: string;
  /** The schema for new tables; null if `search_path` names none that exists and that the user may use. */
  readonly schema: string | null;
  /** Whether the user may create tables in that schema. */
  readonly may_create: boolean | null;
  readonly search_path: string;
  readonly fsync: string | null;
  readonly full_page_writes: string | null;
  readonly synchronous_commit: string | null;
  /** The tables that are empty after a crash, in one text; null without any. */
  readonly unlogged: string | null;
}

/**
 * Asks everything that decides whether Keyward can use a database, in one round trip. A setting that a server does not
 * know is null. `rate_limit` is unlogged on purpose: its counts last for seconds.
 */
export const askAtOpening = CompiledQuery.raw(`select
  current_database() as database, current_user as role, current_setting('server_encoding') as encoding,
  current_schema() as schema, has_schema_privilege(current_schema(), 'create') as may_create,
  current_setting('search_path') as search_path,
  current_setting('fsync', true) as fsync,
  current_setting('full_page_writes', true) as full_page_writes,
  current_setting('synchronous_commit', true) as synchronous_commit,
  (select string_agg(relname, ', ' order by relname) from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and relkind = 'r' and relpersistence = 'u' and relname <> 'rate_limit') as unlogged`);

/** The schemas of PostgreSQL itself. Those of temporary tables end with the connection. */
const ownSchema = /^(pg_|information_schema$)/;

/** A name as SQL has it: quoted, unless every program writes it the same way. */
const quote = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

function faultOf({ encoding, schema, role, search_path: path }: OpeningRow): string | undefined {
  if (encoding !== 'UTF8')
    return `DATABASE_URL names a database with the encoding ${encoding}, which cannot store every text: create one with \`${createDatabase}\``;
  const setPath = `ALTER ROLE ${quote(role)} SET search_path = public`;
  if (schema === null)
    return `DATABASE_URL has a user whose search_path (${path}) names no schema that exists and that the user may use: run ${setPath}, or GRANT USAGE ON SCHEMA … TO ${quote(role)}`;
  if (ownSchema.test(schema))
    return `DATABASE_URL has a user whose search_path (${path}) begins with a schema of temporary tables or of PostgreSQL itself: run ${setPath}`;
  return undefined;
}

/** The settings that lose data if they are off, each with what can be lost. */
const settings = {
  synchronous_commit: ({ role }: OpeningRow) =>
    `PostgreSQL confirms changes before they are on its disk (synchronous_commit=off): if it crashes, the last confirmed changes are lost, such as a key's deactivation; run ALTER ROLE ${quote(role)} SET synchronous_commit = on`,
  fsync: () =>
    'PostgreSQL never waits for its disk (fsync=off): if its machine fails, the whole database can be lost; set fsync=on',
  full_page_writes: () =>
    'PostgreSQL cannot mend pages that are written in part (full_page_writes=off): if its machine fails, stored data can be damaged; set full_page_writes=on',
};

function risksOf(row: OpeningRow): string[] {
  const names = Object.keys(settings) as (keyof typeof settings)[];
  const risks = names.filter((name) => row[name] === 'off').map((name) => settings[name](row));
  const { unlogged } = row;
  if (unlogged !== null)
    risks.push(
      `tables are UNLOGGED (${unlogged}): if PostgreSQL crashes, everything in them is lost; run ALTER TABLE … SET LOGGED`,
    );
  return risks;
}

const unverified =
  'sslmode=no-verify in DATABASE_URL encrypts the connection but does not check who answers: anyone between Keyward and PostgreSQL can pose as the server, and read and change everything; use verify-full if you can get the certificate of the authority';

const migrationFaultOf = ({ schema, may_create: mayCreate, role }: OpeningRow): string | undefined =>
  schema === null || mayCreate
    ? undefined
    : `DATABASE_URL has a user who may not create tables in the schema ${schema}: run GRANT CREATE ON SCHEMA ${quote(schema)} TO ${quote(role)}`;

/**
 * Reads the answer to {@link askAtOpening}.
 * @throws {ConfigError} if the database cannot store every text, or keeps no tables
 */
export function readOpening([answer]: readonly unknown[], url: string): Findings {
  const row = answer as OpeningRow;
  const fault = faultOf(row);
  if (fault !== undefined) throw new ConfigError([fault]);
  return {
    database: row.database,
    migrationFault: migrationFaultOf(row),
    risks: [...(sslModeOf(url) === 'no-verify' ? [unverified] : []), ...risksOf(row)],
  };
}
