import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DriverException, ServerException } from '@mikro-orm/core';
import Sqlite from 'better-sqlite3';
import { GraphQLError } from 'graphql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import {
  DatabaseAwayError,
  isAway,
  isLostStatement,
  OutcomeUnknownError,
  translateError,
  UnexpectedValueError,
} from '../../../src/database/failures.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { GatewayError } from '../../../src/errors.ts';
import { databaseConfig, writerOf } from '../../support/database.ts';

const insert = "insert into account (issuer, subject, created_at) values ('i', 's', 0)";

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-database-'));
  const config = databaseConfig(`sqlite:${join(folder, 'keyward.db')}`);
  database = await openDatabase(config);
  await migrate(database, config);
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const run = (...statements: string[]): Promise<unknown> =>
  (async () => {
    for (const statement of statements) await database.em.fork().execute(statement);
  })().then(
    () => expect.fail('the database took it'),
    (error: unknown) => error,
  );

describe('a failure that may pass → 503', () => {
  const unavailable = { code: 'SERVICE_UNAVAILABLE', reason: 'database', headers: { 'retry-after': '5' } };

  it('a database that is full', async () => {
    const fill = `insert into account (issuer, subject, created_at) values (hex(zeroblob(100000)), 's', 0)`;
    writerOf(database).pragma('max_page_count = 1');
    const error = await run(fill);
    expect(String(error)).toContain('full');
    expect(translateError(error)).toMatchObject({ ...unavailable, cause: error });
  });

  it('a database that cannot be written', async () => {
    writerOf(database).pragma('query_only = on');
    const error = await run(insert);
    expect(translateError(error)).toMatchObject(unavailable);
  });

  it('a database locked by another process', async () => {
    // Not one of Keyward's, which would be refused, but any tool.
    const other = new Sqlite(join(folder, 'keyward.db'));
    other.exec('begin immediate');
    vi.useFakeTimers({ toFake: ['performance'] });
    const failing = run(insert);
    await delay(30);
    // So long is it waited for.
    vi.advanceTimersByTime(5000);
    const error = await failing;
    vi.useRealTimers();
    other.close();
    expect(String(error)).toContain('locked');
    expect(translateError(error)).toMatchObject(unavailable);
  });

  it('a change with an unknown outcome → the code OUTCOME_UNKNOWN', () => {
    const error = new OutcomeUnknownError(new Error('read ECONNRESET'));
    expect(translateError(new GraphQLError('x', { originalError: error }))).toMatchObject({
      ...unavailable,
      code: 'OUTCOME_UNKNOWN',
      message: 'It is not known whether the change was made',
      cause: error,
    });
  });

  it('a failure wrapped in several other errors', async () => {
    writerOf(database).pragma('query_only = on');
    const originalError = (await run(insert)) as Error;
    const wrapped = new GraphQLError('x', { originalError: new GraphQLError('y', { originalError }) });
    expect(translateError(wrapped)).toMatchObject({ ...unavailable, cause: originalError });
  });
});

describe('a failure that does not pass → 500', () => {
  const masked = { code: 'INTERNAL_SERVER_ERROR', message: 'Internal Server Error' };

  it.each([
    ['a unique constraint', [insert, insert]],
    ['a foreign key', ['insert into api_key (account_id, key_prefix, created_at) values (99, 0, 0)']],
    ['a table that is not there', ['select * from nothing']],
    ['a query that is none', ['selekt 1']],
  ])('%s', async (_what, statements) => {
    const error = await run(...statements);
    expect(translateError(error)).toMatchObject({ ...masked, cause: error });
  });

  it('an error that is not from the database', () => {
    expect(translateError(new TypeError('x'))).toMatchObject(masked);
  });
});

describe('errors of PostgreSQL', () => {
  const said = (code: string, routine?: string) => Object.assign(new Error('said'), { code, routine });

  it.each([
    ...['08006', '28P01', '3D000', '40001', '40P01', '25006', '25P03'],
    ...['53100', '53300', '55P03', '57P01', '58030'],
  ])('%s, which may pass → 503', (code) => {
    expect(translateError(new DriverException(said(code))).code).toBe('SERVICE_UNAVAILABLE');
  });

  it.each(['22001', '25P02', '42601', '54001', '57', 'XX000'])('%s, which does not pass → 500', (code) => {
    expect(translateError(new ServerException(said(code))).code).toBe('INTERNAL_SERVER_ERROR');
  });

  it.each<[string, string | undefined, boolean]>([
    ['0A000', 'RevalidateCachedQuery', true],
    ['0A000', 'transformInsertStmt', false],
    ['0A000', undefined, false],
    ['26000', 'FetchPreparedStatement', true],
    ['42P05', 'StorePreparedStatement', true],
    ['42601', 'RevalidateCachedQuery', false],
  ])('%s from %s → counts as a lost prepared statement: %s', (code, routine, isLost) => {
    expect(isLostStatement(said(code, routine))).toBe(isLost);
  });
});

describe('a GatewayError', () => {
  it('wrapped in another error → passed on unchanged', () => {
    const error = new GatewayError('NOT_FOUND', 'API key not found');
    expect(translateError(new GraphQLError('x', { originalError: error }))).toBe(error);
  });
});

describe('the database is away', () => {
  const failure = (code: string | undefined, message = '', more: object = {}) =>
    new DriverException(Object.assign(new Error(message), { code, ...more }));

  it.each([
    ['a refused connection', failure('ECONNREFUSED')],
    ['a connection that is reset', failure('ECONNRESET')],
    ['a socket that is not there', failure('ENOENT', '', { syscall: 'connect' })],
    ['a host without an address', failure('ENOTFOUND')],
    ['a pool without a free connection', failure(undefined, 'timeout exceeded when trying to connect')],
    ['a connection that ended', failure(undefined, 'Connection terminated unexpectedly')],
    ['a silent server', failure(undefined, 'PostgreSQL has not answered in time')],
    ['a lost connection', failure('08006')],
    ['a server with too many connections', failure('53300')],
    ['a server that shuts down', failure('57P01')],
    ['a server that starts, or is in recovery', failure('57P03')],
    ['a statement that takes too long', failure('57014')],
    ['a server that is read-only', failure('25006')],
    ['a failing disk below SQLite', failure('SQLITE_IOERR_READ')],
    ['a lock of another process', failure('SQLITE_BUSY')],
  ])('after %s', (_what, error) => {
    expect(isAway(error)).toBe(true);
  });

  it.each([
    ['a wrong password', failure('28P01')],
    ['a missing database', failure('3D000')],
    ['a database that was dropped', failure('57P04')],
    ['a missing table', failure('42P01')],
    ['a missing right', failure('42501')],
    ['a certificate that has expired', failure('CERT_HAS_EXPIRED')],
    ['a deadlock', failure('40P01')],
    ['a file that is missing', failure('ENOENT')],
    ['a damaged file', failure('SQLITE_CORRUPT')],
    ['another file', failure('SQLITE_NOTADB')],
    ['a deadline that is over', failure(undefined, 'the time for the answer is over')],
    ['a wait of little time', failure(undefined, 'PostgreSQL has not answered before the deadline')],
    ['an unexpected value', new UnexpectedValueError('api_key, expires_at', 'soon')],
    ['a fault of this program', new TypeError('timeout is not a function')],
    ['an unknown outcome', new OutcomeUnknownError(new Error('terminated'))],
  ])('but not after %s', (_what, error) => {
    expect(isAway(error)).toBe(false);
  });

  it('→ 503 without a cause: the log has said why', () => {
    const { code, reason, cause } = translateError(new DatabaseAwayError(failure('ECONNREFUSED')));
    expect({ code, reason, cause }).toEqual({ code: 'SERVICE_UNAVAILABLE', reason: 'database-away' });
  });
});
