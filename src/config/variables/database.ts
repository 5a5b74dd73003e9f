import { z } from 'zod';
import { postgresUrlFaults } from '../values/database-url.ts';
import { integer, seconds, textOfFile } from '../values/kinds.ts';

const isPostgresUrl = (text: string): boolean => /^postgres(ql)?:\/\//.test(text);

const databaseUrl = z.string().superRefine((text, context) => {
  const faults = isPostgresUrl(text) ? postgresUrlFaults(text) : [];
  if (/^sqlite:.*\?/.test(text)) faults.push('has a ?: a file of SQLite takes no parameters');
  if (text.startsWith('sqlite:file:'))
    faults.push('has a URL in place of a path: write sqlite:<path of a file>');
  for (const fault of faults) context.addIssue({ code: 'custom', message: fault });
  const isWellFormed = /^sqlite:.+$/.test(text) || (isPostgresUrl(text) && URL.canParse(text));
  if (faults.length === 0 && !isWellFormed)
    context.addIssue({
      code: 'custom',
      message: 'must be sqlite:<path of a file>, sqlite::memory: or postgres://user:password@host/database',
    });
});

/** The variables of the data folder and the database. */
export const databaseVariables = {
  DATA_DIR: z.string().default('data').meta({
    description: "Folder of the database file, and of development's secrets",
    example: '/var/lib/keyward',
  }),
  DATABASE_URL: databaseUrl.optional().meta({
    description:
      '`sqlite:<path>`, `sqlite::memory:`, or `postgres://user:password@host/database`; TLS by `?sslmode=verify-full`, with `sslrootcert`, `sslcert` and `sslkey`. Other parameters: `application_name`, `options`, and `host` for the folder of a socket; any other is refused',
    unset: '`sqlite:<DATA_DIR>/keyward.db`',
    example: 'postgres://keyward:password@db.example.com/keyward?sslmode=verify-full',
  }),
  DATABASE_URL_FILE: textOfFile.pipe(databaseUrl).optional().meta({
    description: 'A file that holds it, in place of `DATABASE_URL`: it has a password in it',
    example: '/run/secrets/database-url',
  }),
  DATABASE_MIGRATE: z.enum(['auto', 'check'], 'must be "auto" or "check"').optional().meta({
    description: 'At the start: `auto` brings the schema up to date, `check` refuses an older one',
    unset: '`auto` for SQLite, `check` for PostgreSQL',
    example: 'check',
  }),
  API_KEY_USAGE_DAYS: integer(1, 3650).default(90).meta({
    description:
      'How many days it is kept how often each API key was verified in each hour. A key that is used all the time has some 24 rows a day',
    example: '365',
  }),
  ENDED_API_KEYS_DAYS: integer(1, 3650).default(365).meta({
    description:
      'How many days an API key is kept after it was deactivated, or, where it never was, after it expired. [Then it is deleted](operators.md#keys-that-ended)',
    example: '90',
  }),
  DATABASE_POOL_SIZE: integer(1, 1000).default(10).meta({
    description: 'PostgreSQL: the most connections of one process; with `WORKERS`, of each',
    example: '20',
  }),
  DATABASE_STATEMENTS: z.enum(['named', 'unnamed'], 'must be "named" or "unnamed"').default('named').meta({
    description:
      'PostgreSQL: `named` plans a statement once for each connection, and not each time; `unnamed` is for a pooler that cannot keep them, as PgBouncer before 1.21',
    example: 'unnamed',
  }),
  DATABASE_CONNECT_TIMEOUT: seconds(1, 600).default(3).meta({
    description: 'PostgreSQL: seconds to wait for a connection',
    example: '5',
  }),
  DATABASE_STATEMENT_TIMEOUT: seconds(1, 600).default(4).meta({
    description:
      'PostgreSQL: seconds that a statement may take; a connection without an answer a second later is dropped',
    example: '10',
  }),
  DATABASE_IDLE_TRANSACTION_TIMEOUT: seconds(1, 600).default(5).meta({
    description: 'How many seconds a transaction may stand idle before it is ended',
    example: '10',
  }),
};
