/** An error of PostgreSQL, of `pg`, of TLS or of the network. */
export type ServerError = Error & { readonly code?: unknown; readonly syscall?: unknown };

/** The command that makes a database in which every text can be stored. */
export const createDatabase = 'createdb --encoding=UTF8 --template=template0 keyward';

/**
 * The SQLSTATEs of a server that accepts no connection at the moment: it starts or stops, has too many connections,
 * or is unreachable for a pooler.
 */
const passingState = /^(08|53|57P)/;

/** The operating system's error codes for an unreachable server: the server, its name or its network is down. */
const unreachable =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|EAI_AGAIN|ENOTFOUND)$/;

/** The errors of `pg` and of the pool that have no code: the server is silent, or the connection has ended. */
const silent = /timeout|terminated|not queryable|has not answered in time|to PostgreSQL has ended/i;

/** Whether PostgreSQL reports the error by an SQLSTATE, and not the operating system. */
const isSqlState = ({ code, syscall }: ServerError): boolean =>
  syscall === undefined && /^(?=.*\d)[\dA-Z]{5}$/.test(String(code));

/** Whether PostgreSQL may be available later, so that another attempt may succeed. */
export function isPassing(error: ServerError): boolean {
  const { code, message, syscall } = error;
  if (code === undefined) return silent.test(message);
  // The folder of the socket is empty: nobody listens there yet.
  if (code === 'ENOENT') return syscall === 'connect';
  return isSqlState(error) ? passingState.test(String(code)) : unreachable.test(String(code));
}

/** What is wrong, and what an operator can do, by SQLSTATE. The first row that fits counts. */
const faults: readonly (readonly [state: RegExp, what: string, advice: string])[] = [
  [
    /^3D000$/,
    'DATABASE_URL names a database that does not exist',
    `correct its name, or create it with \`${createDatabase}\``,
  ],
  [/^28P01$/, 'PostgreSQL refuses the user or the password in DATABASE_URL', 'correct them'],
  [
    /^28/,
    'PostgreSQL does not let the user of DATABASE_URL in',
    'check its name and pg_hba.conf; if PostgreSQL requires TLS, add ?sslmode=verify-full',
  ],
  [
    /^42501$/,
    'The user of DATABASE_URL lacks a right',
    'grant it, as docs/operators.md says under "PostgreSQL"',
  ],
  [
    /^3F000$/,
    'The search_path of the user of DATABASE_URL names no schema',
    'set it with ALTER ROLE … SET search_path = public',
  ],
  [
    /^42/,
    'The tables in the database are not those that Keyward made',
    'check the search_path of the user of DATABASE_URL, or restore a backup',
  ],
  [/^53100$/, "PostgreSQL's disk is full", 'make room there, then try again'],
  [
    /^53300$/,
    'PostgreSQL has no connection left',
    'lower DATABASE_POOL_SIZE, or raise max_connections, then try again',
  ],
  [/^53/, 'PostgreSQL lacks memory or another resource', 'see its log, then try again'],
  [/^57014$/, 'PostgreSQL cancelled a statement, or it took too long', 'raise DATABASE_STATEMENT_TIMEOUT'],
  [/^55P03$/, 'Another program locks the same rows for too long', 'try again after it has ended'],
  [/^40/, 'Another program changed the same rows at the same time', 'try again'],
  [
    /^25006$/,
    'PostgreSQL takes no writes: it is a standby, or read-only',
    'name the primary in DATABASE_URL',
  ],
  [/^25P0[34]$/, 'PostgreSQL ended a transaction that took too long', 'try again'],
  [/^(58|XX)/, 'PostgreSQL cannot read or write its files', 'see its log'],
  [/^(23|P0)/, 'A constraint or a trigger in the database refuses a change', 'see the log of PostgreSQL'],
];

/** The fault for any other SQLSTATE. */
const anyFault = ['', 'PostgreSQL refuses a statement', 'see its log'] as const;

/** The states whose messages name tables, columns and functions, and never values. */
const namesOnly = /^42/;

/** The states of a connection that ended, and of a server that starts or stops. */
const lost = /^(08|57P)/;

/** The state of an error, with the first line of PostgreSQL's message if it has no values. */
const detailOf = (state: string, { message }: ServerError): string =>
  namesOnly.test(state) ? `${state}: ${message.split('\n')[0]}` : state;

/**
 * Describes an error of PostgreSQL, or of the connection to it, in one sentence that says what to do.
 * @returns undefined for any other error
 */
export function describeServerFault(error: ServerError): string | undefined {
  const state = String(error.code);
  if (isSqlState(error) && !lost.test(state)) {
    const [, what, advice] = faults.find(([pattern]) => pattern.test(state)) ?? anyFault;
    return `${what} (${detailOf(state, error)}): ${advice}.`;
  }
  return isPassing(error)
    ? `The connection to PostgreSQL failed (${error.code ?? error.message}): try again when PostgreSQL is available.`
    : undefined;
}
