import { readFileSync } from 'node:fs';
import { closest, distance } from 'fastest-levenshtein';

/** The values of `sslmode`. */
const sslModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** `pg` treats these as `verify-full`, with a warning beside the log. */
const likeVerifyFull = /^(prefer|require|verify-ca)$/;

/** The parameters that name a file. */
const files = ['sslrootcert', 'sslcert', 'sslkey'];

/** The parameters that `pg` and this service honour. */
const known = ['sslmode', ...files, 'application_name', 'options', 'host'];

/** Parameters of other programs, and what stands in their place here. */
const elsewhere: Readonly<Record<string, string>> = {
  connect_timeout: 'set DATABASE_CONNECT_TIMEOUT',
  statement_timeout: 'set DATABASE_STATEMENT_TIMEOUT',
  idle_in_transaction_session_timeout: 'set DATABASE_IDLE_TRANSACTION_TIMEOUT',
  pgbouncer: 'set DATABASE_STATEMENTS',
  connection_limit: 'set DATABASE_POOL_SIZE',
  schema: 'Keyward uses the schema of search_path, such as options=-csearch_path%3Dapp',
  ssl: 'use sslmode',
  channel_binding: 'leave it out, and use sslmode=verify-full',
  target_session_attrs: 'name the host of the primary',
};

/** The most letters in which a misspelt parameter differs from a known one. */
const slips = 3;

function describeUnknown(name: string): string {
  const instead = elsewhere[name];
  if (instead !== undefined) return `has the parameter ${name}, which has no effect: ${instead}`;
  const near = closest(name.toLowerCase(), known);
  const hint =
    distance(name.toLowerCase(), near) <= slips ? `did you mean ${near}?` : `known are ${known.join(', ')}`;
  return `has the unknown parameter ${name}: ${hint}`;
}

function describeFile(name: string, path: string): string[] {
  try {
    readFileSync(path);
    return [];
  } catch (error) {
    return [
      `names the file ${path} in ${name}, which cannot be read (${(error as NodeJS.ErrnoException).code})`,
    ];
  }
}

function faultsOfParameter(name: string, values: readonly string[]): string[] {
  if (!known.includes(name)) return [describeUnknown(name)];
  const [value = '', ...more] = values;
  if (more.length > 0) return [`has the parameter ${name} more than once`];
  if (name === 'sslmode' && !sslModes.includes(value))
    return [`needs sslmode to be one of ${sslModes.join(', ')}`];
  if (name === 'host' && !value.startsWith('/')) return ['needs host to be the folder of a socket'];
  return files.includes(name) ? describeFile(name, value) : [];
}

/**
 * Finds the faults of a URL of PostgreSQL beyond its form. An unknown parameter would have no effect: with a misspelt
 * `sslmode`, connections would not be encrypted.
 * @returns what is wrong, without a word of the password
 */
export function postgresUrlFaults(text: string): string[] {
  if (text.includes('#')) return ['has a #, which ends a URL: write it as %23 in the password'];
  if (/\?.*@/.test(text))
    return ['has an @ after a ?: write ? in the password as %3F, and @ elsewhere as %40'];
  if (!URL.canParse(text))
    return withoutHost.test(text)
      ? ['names no host: write one, or add ?host= with the folder of a socket']
      : [];
  const { hostname, searchParams } = new URL(text);
  if (hostname.includes(',')) return ['names several hosts: pg connects to one'];
  return [...new Set(searchParams.keys())].flatMap((name) =>
    faultsOfParameter(name, searchParams.getAll(name)),
  );
}

/** A URL without a host, up to the place of the host: `postgres://user:password@/keyward`. */
const withoutHost = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=(?::\d*)?(?:[/?]|$))/;

/**
 * Adds a host to a URL that has none but names a socket: `postgres://user@/keyward?host=/cloudsql/a:b:c`. Node cannot
 * parse a URL with a user and no host. `pg` ignores the host beside a socket.
 */
export const addHost = (text: string): string =>
  /[?&]host=/.test(text) ? text.replace(withoutHost, '$1localhost') : text;

/** The value of `sslmode` in a URL; null if there is none. */
export const sslModeOf = (text: string): string | null => new URL(text).searchParams.get('sslmode');

/** The name of the database in a URL. Without one, PostgreSQL takes the name of the user. */
export function databaseOf(text: string): string {
  const { pathname, username } = new URL(text);
  return decodeURIComponent(pathname.slice(1) || username) || 'postgres';
}

/** The URL as `pg` takes it without a warning: it verifies certificates by all of these modes alike. */
export function toPgUrl(text: string): string {
  if (likeVerifyFull.test(sslModeOf(text) ?? ''))
    return text.replace(/([?&]sslmode=)[\w-]+/, '$1verify-full');
  return text;
}
