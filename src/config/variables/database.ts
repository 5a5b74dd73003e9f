import { z } from 'zod';
import { addHost, postgresUrlFaults } from '../values/database-url.ts';
import { integer, seconds, textOfFile } from '../values/kinds.ts';

const isPostgresUrl = (text: string): boolean => /^postgres(ql)?:\/\//.test(text);

const databaseUrl = z
  .string()
  .overwrite(addHost)
  .superRefine((text, context) => {
    const faults = isPostgresUrl(text) ? postgresUrlFaults(text) : [];
    if (/^sqlite:.*\?/.test(text)) faults.push('has a ?: a file of SQLite takes no parameters');
    if (text.startsWith('sqlite:file:'))
      faults.push('has a URL in place of a path: write sqlite:<path of a file>');
    const isWellFormed = /^sqlite:.+$/.test(text) || (isPostgresUrl(text) && URL.canParse(text));
    if (faults.length === 0 && !isWellFormed)
      faults.push(
        'must be sqlite:<path of a file>, sqlite::memory: or postgres://user:password@host/database',
      );
    for (const fault of faults) context.addIssue(fault);
  });

/** The variables of the data folder and the database. */
export const databaseVariables = {
  DATA_DIR: z.string().default('data').meta({
    description: 'Folder of the SQLite file and of the development secrets',
    example: '/var/lib/keyward',
  }),
  DATABASE_URL: databaseUrl.optional().meta({
    description:
      '`sqlite:<path>`, `sqlite::memory:` or `postgres://user:password@host/database`. For TLS, add `?sslmode=verify-full` with `sslrootcert`, `sslcert` and `sslkey`, or [`sslmode=no-verify`](operators.md#postgresql) to accept any certificate. Other allowed parameters: `application_name`, `options`, and `host` for the folder of a socket',
    unset: '`sqlite:<DATA_DIR>/keyward.db`',
    example: 'postgres://keyward:password@db.example.com/keyward?sslmode=verify-full',
  }),
  DATABASE_URL_FILE: textOfFile.pipe(databaseUrl).optional().meta({
    description: 'File with the URL, in place of `DATABASE_URL`, because the URL contains a password',
    example: '/run/secrets/database-url',
  }),
  DATABASE_MIGRATE: z.enum(['auto', 'check'], 'must be "auto" or "check"').optional().meta({
    description: 'At the start, `auto` updates the schema; `check` refuses an older one',
    unset: '`auto` for SQLite, `check` for PostgreSQL',
    example: 'check',
  }),
  API_KEY_USAGE_DAYS: integer(1, 3650).default(90).meta({
    description: 'Days to keep hourly usage counts. A key in constant use takes about 24 rows a day',
    example: '365',
  }),
  ENDED_API_KEYS_DAYS: integer(1, 3650).default(365).meta({
    description:
      'Days to keep an API key after it was deactivated or expired. [Then it is deleted](operators.md#keys-that-ended)',
    example: '90',
  }),
  DATABASE_POOL_SIZE: integer(1, 1000).default(10).meta({
    description: 'PostgreSQL: the most connections of each process',
    example: '20',
  }),
  DATABASE_STATEMENTS: z.enum(['named', 'unnamed'], 'must be "named" or "unnamed"').default('named').meta({
    description:
      'PostgreSQL: `named` plans each statement once per connection. Use `unnamed` with a pooler that cannot keep them, such as PgBouncer before 1.21',
    example: 'unnamed',
  }),
  DATABASE_CONNECT_TIMEOUT: seconds(1, 600).default(3).meta({
    description: 'PostgreSQL: how long to wait for a connection, in seconds',
    example: '5',
  }),
  DATABASE_STATEMENT_TIMEOUT: seconds(1, 600).default(4).meta({
    description:
      'PostgreSQL: how long a statement may take, in seconds. A connection without a response one second later is dropped',
    example: '10',
  }),
  DATABASE_IDLE_TRANSACTION_TIMEOUT: seconds(1, 600).default(5).meta({
    description: 'How long a transaction may be idle before it is aborted, in seconds',
    example: '10',
  }),
  DOOR_GRACE_SECONDS: seconds(0, 3600).default(0).meta({
    description:
      'How long an API key is still accepted [while the database is away](operators.md#accept-known-keys-meanwhile), in seconds since the database last found it valid. 0: never',
    example: '30',
  }),
};
