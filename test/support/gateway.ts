import { Writable } from 'node:stream';
import { pino } from 'pino';
import { Account, type AccountId } from '../../src/accounts/account.entity.ts';
import { ApiKey } from '../../src/api-keys/api-key.entity.ts';
import { discoverJwksUri, fetchVerificationKeys } from '../../src/auth/issuer-metadata.ts';
import { VerificationKeys } from '../../src/auth/verification-keys.ts';
import { migrate, openDatabase } from '../../src/database/database.ts';
import { createGateway } from '../../src/gateway.ts';
import { PrivateKey } from '../../src/private-key/private-key.entity.ts';
import type { TestIssuer } from './issuer.ts';

/** A request of a test: `token` becomes the Authorization header, `json` the body. */
export interface Call {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly body?: string;
}

/** An answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly body: any;
}

/** The whole gateway on an in-memory database unless a file is given, called through its fetch handler; it trusts one issuer. */
export async function createTestGateway(
  issuer: TestIssuer,
  options: { introspection?: boolean; databaseFile?: string } = {},
) {
  const database = await openDatabase(options.databaseFile ?? ':memory:');
  await migrate(database);
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const read = async () => fetchVerificationKeys(await discoverJwksUri(issuer.config.issuer));
  const verificationKeys = new VerificationKeys(read, () => {});
  const gateway = createGateway({
    issuer: issuer.config,
    verificationKeys,
    em: database.em,
    limits: { sessionDuration: { min: 60, max: 86_400 } },
    introspection: options.introspection ?? true,
    logger: pino({ level: 'trace' }, sink),
  });

  const fetch = async (method: string, path: string, call: Call = {}): Promise<Answer> => {
    const headers = new Headers(call.headers);
    if (call.token !== undefined) headers.set('authorization', `Bearer ${call.token}`);
    if (call.json !== undefined && !headers.has('content-type'))
      headers.set('content-type', 'application/json');
    const body = call.body ?? (call.json === undefined ? undefined : JSON.stringify(call.json));
    const response = await gateway.fetch(
      new Request(`http://keyward.test${path}`, { method, headers, ...(body !== undefined && { body }) }),
    );
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };

  /** A REST call below `/api/v1`. */
  const rest = (method: string, path: string, call?: Call) => fetch(method, `/api/v1${path}`, call);

  /** A GraphQL request by POST. */
  const graphql = (query: string, call: Call & { variables?: unknown } = {}) =>
    fetch('POST', '/graphql', {
      ...call,
      headers: { accept: 'application/graphql-response+json', ...call.headers },
      json: { query, variables: call.variables },
    });

  return {
    gateway,
    database,
    fetch,
    rest,
    graphql,
    verificationKeys,
    /** The log so far, parsed. */
    log: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    ...createBuilders(database, issuer),
    [Symbol.asyncDispose]: async () => {
      verificationKeys[Symbol.dispose]();
      await gateway.dispose();
      await database.close();
    },
  };
}

/** A gateway under test. */
export type TestGateway = Awaited<ReturnType<typeof createTestGateway>>;

/** Puts rows into the database that a test begins with, and reads what it left there. */
function createBuilders(database: Awaited<ReturnType<typeof openDatabase>>, issuer: TestIssuer) {
  const createAccount = async (subject: string): Promise<AccountId> => {
    const account = { issuer: issuer.config.issuer, subject, createdAt: new Date() };
    return database.em.fork().insert(Account, account) as Promise<AccountId>;
  };
  const createApiKey = (account: AccountId, values: Partial<ApiKey> = {}): Promise<number> =>
    database.em.fork().insert(ApiKey, {
      account,
      keyPrefix: 'sk-a1b2c3',
      name: 'Laptop',
      isActive: true,
      isDefault: false,
      encryptionVersion: 1,
      createdAt: new Date('2026-01-31T12:00:00.000Z'),
      ...values,
    });
  const createPrivateKey = (account: AccountId): Promise<number> => {
    const createdAt = new Date('2026-01-31T12:00:00.000Z');
    const updatedAt = new Date('2026-02-28T12:00:00.000Z');
    return database.em.fork().insert(PrivateKey, { account, sealedKey: 'a..b.c.d', createdAt, updatedAt });
  };
  /** All rows of a table, as stored. */
  const rows = (table: string): Promise<Record<string, unknown>[]> =>
    database.em.fork().execute(`select * from ${table} order by id`);
  return { createAccount, createApiKey, createPrivateKey, rows };
}
