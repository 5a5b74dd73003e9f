import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { EntityName } from '@mikro-orm/sql';
import { pino } from 'pino';
import { inject } from 'vitest';
import { removeErased } from '../../src/accounts/remove-erased.ts';
import { createApiKeySecret, keyPrefixOf } from '../../src/api-keys/api-key-secret.ts';
import { KeyUsage } from '../../src/api-keys/usage/key-usage.ts';
import { knowImportedForms } from '../../src/api-keys/verify/imported-keys.ts';
import { type AssertionSettings, signAssertions } from '../../src/assertions/sign-assertions.ts';
import { type TrustedIssuer, trustIssuer } from '../../src/auth/trusted-issuer.ts';
import type { IssuerConfig, PagesConfig, Rates } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import { migrate } from '../../src/database/migrate.ts';
import {
  Account,
  type AccountId,
  ApiKey,
  type ApiKeyQuota,
  ApiKeySecret,
  PrivateKey,
} from '../../src/database/tables.ts';
import type { Edge, GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { createGateway, createLimits } from '../../src/gateway/gateway.ts';
import { type DocumentLimits, fixedLimits } from '../../src/graphql/use-document-limits.ts';
import { Load } from '../../src/http/load.ts';
import { RateCounts } from '../../src/http/rate-limits/limiter.ts';
import { SharedCounts } from '../../src/http/rate-limits/shared-counts.ts';
import { IdempotencyRecords } from '../../src/idempotency/idempotency.ts';
import type { OperationServices, OperationSettings } from '../../src/operations/context.ts';
import { accountQuotas as ofAccounts } from '../../src/quotas/account-quotas.ts';
import { keyQuotas as ofKeys } from '../../src/quotas/key-quotas.ts';
import { QuotaLeases } from '../../src/quotas/quota-leases.ts';
import type { SecretKeys } from '../../src/secrets/secret-list.ts';
import { createSecrets, type Secrets } from '../../src/secrets/secrets.ts';
import { checkResponse } from './check-response.ts';
import { databaseConfig, isEmptied, openTestDatabase } from './database.ts';
import { asFetch } from './fetch-gateway.ts';
import type { TestIssuer } from './issuer.ts';
import { secretListOf } from './secrets.ts';

/** A request of a test: `token` becomes the Authorization header, `json` the body. */
export interface Call {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly body?: string;
  /** The IP address that it comes from. */
  readonly address?: string;
}

/** An answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly body: any;
}

/** What HTTP sends along; a header that the call gives stays as it is. */
const headersOf = ({ token, json, headers }: Call, body: string | undefined): Headers => {
  const sent = new Headers();
  if (token !== undefined) sent.set('authorization', `Bearer ${token}`);
  if (json !== undefined) sent.set('content-type', 'application/json');
  if (body !== undefined) sent.set('content-length', `${Buffer.byteLength(body)}`);
  for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value);
  return sent;
};

const publicUrl = 'http://keyward.test';

const signingBy = (settings: AssertionSettings | undefined) =>
  settings && signAssertions(settings, publicUrl);

/** Nothing is limited, and nobody believed. */
const plainEdge: Omit<Edge, 'load'> = {
  publicPath: '',
  trustedProxies: [],
  corsOrigins: [],
  apiKeyHeader: undefined,
  hstsMaxAge: undefined,
  limiters: {},
  exemptAddresses: [],
};

/** Reads how imported keys begin when a test says so, and not by the clock: that would be a statement more at any time. */
function readOnlyWhenTold(forms: ReturnType<typeof knowImportedForms>) {
  void forms[Symbol.asyncDispose]();
  let wasRead = false;
  return {
    waysOf: (secret: string) => forms.waysOf(secret),
    read: () => {
      wasRead = true;
      return forms.run();
    },
    /** After the database was emptied; next to nothing has to be done where nothing was read. */
    readAgain: async () => {
      if (wasRead) await forms.run();
      wasRead = false;
    },
  };
}

/** The whole gateway on an empty database unless another is given, called through its fetch handler; it trusts one issuer. */
export async function createTestGateway(
  issuer: TestIssuer,
  options: {
    introspection?: boolean;
    operators?: boolean;
    pages?: PagesConfig;
    documents?: DocumentLimits;
    databaseUrl?: string;
    issuers?: readonly IssuerConfig[];
    /** How the tokens of the issuer name organisations. */
    organization?: IssuerConfig['organization'];
    servers?: GatewayDependencies['servers'];
    /** How assertions about API keys are signed; missing: none are. */
    assertions?: AssertionSettings;
    sealApiKeys?: boolean;
    automationDefaults?: OperationSettings['automationDefaults'];
    apiKeysPerAccount?: number;
    apiKeyDays?: OperationSettings['apiKeyDays'];
    changesPerDay?: number;
    leakReports?: GatewayDependencies['leakReports'];
    webhooks?: GatewayDependencies['webhooks'];
    apiKeyPrefix?: string;
    apiKeyPermissions?: readonly string[];
    plans?: OperationSettings['plans'];
    knownIssuers?: OperationSettings['issuers'];
    secretKeys?: SecretKeys;
    telemetry?: Pick<GatewayDependencies, 'metrics' | 'tracing'>;
    edge?: Partial<Edge>;
    rates?: Rates;
    logsAddress?: boolean;
    schemaState?: GatewayDependencies['schemaState'];
    /** Makes what decides which keys work on while the database is away. */
    doorGrace?: (db: Db) => OperationServices['doorGrace'];
  } = {},
) {
  const { introspection, operators, apiKeysPerAccount, apiKeyDays, changesPerDay } = {
    ...{ introspection: true, operators: true, apiKeysPerAccount: 1000, changesPerDay: 10_000 },
    apiKeyDays: { usual: null, most: null },
    ...options,
  };
  const database = await (options.databaseUrl ? openUrl(options.databaseUrl) : openTestDatabase());
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const own = { ...issuer.config, organization: options.organization };
  const trusted = [own, ...(options.issuers ?? [])].map((config) =>
    trustIssuer(config, { failed: () => {}, recovered: () => {} }),
  );
  const secrets = createSecrets(
    options.secretKeys ?? { peppers: secretListOf(1), encryptionKeys: secretListOf(1) },
  );
  const keyUsage = new KeyUsage(new Db(database.em), 90, () => {});
  const keyQuotas = new QuotaLeases(new Db(database.em), ofKeys, () => {});
  const accountQuotas = new QuotaLeases(new Db(database.em), ofAccounts, () => {});
  const importedKeys = readOnlyWhenTold(knowImportedForms(new Db(database.em), () => {}));
  const idempotency = new IdempotencyRecords(new Db(database.em), () => {});
  const erasures = removeErased(new Db(database.em), () => {});
  const counts = inject('postgresUrl') === undefined ? undefined : new SharedCounts(new Db(database.em));
  const keyRates = new RateCounts('key', counts);
  const accountRates = new RateCounts('keys-of-account', counts);
  const logger = pino({ level: 'trace' }, sink);
  // The event loop is the tests' own here, and late whenever they compute.
  const load = new Load(1000, logger, Number.POSITIVE_INFINITY);
  const edge = { ...plainEdge, ...options.edge };
  const services = {
    settings: {
      sessionDuration: { min: 60, max: 86_400 },
      automationDefaults: options.automationDefaults ?? { isEnabled: null, sessionDuration: null },
      apiKeysPerAccount,
      apiKeyDays,
      changesPerDay,
      apiKeyPrefix: options.apiKeyPrefix ?? 'sk-',
      apiKeyPermissions: options.apiKeyPermissions ?? null,
      plans: options.plans,
      issuers: options.knownIssuers ?? [],
      sealApiKeys: options.sealApiKeys ?? false,
      webhooks: { allowedHosts: ['127.0.0.1'] },
    },
    secrets,
    keyUsage,
    keyRates,
    keyQuotas,
    accountRates,
    accountQuotas,
    importedKeys,
    assertions: signingBy(options.assertions),
    idempotency,
    doorGrace: options.doorGrace?.(new Db(database.em)),
  };
  const answering = createGateway({
    trusted: trusted as [TrustedIssuer, ...TrustedIssuer[]],
    servers: options.servers,
    publicUrl,
    em: database.em,
    services,
    erasures,
    bodyLimit: 64 * 1024,
    documents: options.documents ?? { ...fixedLimits, cost: loadConfig({}).documentCost },
    introspection,
    operators,
    leakReports: options.leakReports,
    webhooks: options.webhooks,
    pages: options.pages,
    edge: { load, ...edge, ...createLimits({ ...edge, rates: options.rates ?? {} }, importedKeys, counts) },
    logger,
    logsAddress: options.logsAddress ?? false,
    schemaState: options.schemaState,
    ...options.telemetry,
  });
  const gateway = { ...answering, fetch: asFetch(answering) };

  const fetch = async (method: string, path: string, call: Call = {}): Promise<Answer> => {
    const body = call.body ?? (call.json === undefined ? undefined : JSON.stringify(call.json));
    const headers = headersOf(call, body);
    const request = new Request(`http://keyward.test${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    const response = await gateway.fetch(request, call.address ?? null);
    const isGzipped = response.headers.get('content-encoding') === 'gzip';
    const sent = Buffer.from(await response.arrayBuffer());
    const text = `${isGzipped ? gunzipSync(sent) : sent}`;
    checkResponse(method, path, { status: response.status, headers: response.headers, text });
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== '';
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
    services,
    secrets,
    keyUsage,
    keyRates,
    keyQuotas,
    accountRates,
    accountQuotas,
    importedKeys,
    idempotency,
    /** Removes what erased accounts have left. */
    erasures,
    /** What the nodes of a database count together. */
    counts,
    fetch,
    rest,
    graphql,
    /** The first issuer's keys, as the gateway knows them. */
    verificationKeys: (trusted as [TrustedIssuer])[0].keys,
    /** The log so far, parsed. */
    log: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    ...createBuilders(database, issuer.config.issuer, secrets),
    /** Empties the database and the log for another test; false where a test has left it beyond that. */
    reset: async (): Promise<boolean> => {
      // What a test has used is not written into the rows of the next.
      await keyUsage.write();
      await keyQuotas.giveBack();
      await accountQuotas.giveBack();
      await erasures.run();
      lines.length = 0;
      const emptied = await isEmptied(database);
      if (emptied) await importedKeys.readAgain();
      return emptied;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { keys } of trusted) keys[Symbol.dispose]();
      load[Symbol.dispose]();
      await counts?.[Symbol.asyncDispose]();
      await idempotency[Symbol.asyncDispose]();
      await keyQuotas[Symbol.asyncDispose]();
      await accountQuotas[Symbol.asyncDispose]();
      await keyUsage[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A gateway under test. */
export type TestGateway = Awaited<ReturnType<typeof createTestGateway>>;

const asInSqlite = (column: string, value: unknown): unknown => {
  if (typeof value === 'boolean') return Number(value);
  return /_(at|until)$/.test(column) && value !== null ? new Date(value as string | number).getTime() : value;
};

async function openUrl(url: string): Promise<Database> {
  const config = databaseConfig(url);
  const database = await openDatabase(config);
  await migrate(database, config);
  return database;
}

/** Puts rows into the database that a test begins with, and reads what it left there. */
export function createBuilders(database: Database, issuer: string, secrets: Secrets) {
  const { kysely } = new Db(database.em);
  /** Puts in a row, by its entity's names. The ORM's own way takes three times as long, and each test has some. */
  const insert = async (entity: EntityName, values: object): Promise<number> => {
    const { tableName, properties } = database.em.getMetadata().get(entity);
    const row = Object.entries(values).map(([name, value]) => [properties[name]?.fieldNames[0], value]);
    const into = kysely.insertInto(tableName as 'account').values(Object.fromEntries(row));
    return (await into.returning('id').executeTakeFirstOrThrow()).id;
  };
  const createAccount = (subject: string, values: Partial<Account> = {}): Promise<AccountId> =>
    insert(Account, { issuer, subject, createdAt: new Date(), ...values }) as Promise<AccountId>;
  const createApiKey = (account: AccountId, values: Partial<ApiKey> = {}): Promise<number> =>
    insert(ApiKey, {
      account,
      keyPrefix: 'sk-a1b2c3',
      name: 'Laptop',
      isActive: true,
      isDefault: false,
      encryptionVersion: 1,
      createdAt: new Date('2026-01-31T12:00:00.000Z'),
      ...values,
    });
  /** An API key with a secret, by which it can be verified. */
  const createVerifiableKey = async (account: AccountId, values: Partial<ApiKey> = {}) => {
    const secret = createApiKeySecret();
    const id = await createApiKey(account, { keyPrefix: keyPrefixOf(secret), ...values });
    await addSecret(id, secret);
    return { id, secret };
  };
  /** A secret of an API key; one that was rotated out works until then. */
  const addSecret = (apiKey: number, secret: string, worksUntil: Date | null = null): Promise<number> => {
    const { digest, version } = secrets.peppers.digest(secret);
    const keyPrefix = keyPrefixOf(secret);
    return insert(ApiKeySecret, { apiKey, digest, pepperVersion: version, worksUntil, keyPrefix });
  };
  /** Gives an API key a quota, whose period ends then. */
  const createQuota = async (apiKey: number, { refillsAt = null, ...quota }: Partial<ApiKeyQuota>) => {
    const row = {
      api_key_id: apiKey,
      units: 10,
      refill: 'never' as const,
      taken: 0,
      generation: 7,
      ...quota,
    };
    await kysely
      .insertInto('api_key_quota')
      .values({ ...row, refills_at: refillsAt })
      .execute();
  };
  const createPrivateKey = (account: AccountId): Promise<number> => {
    const createdAt = new Date('2026-01-31T12:00:00.000Z');
    const updatedAt = new Date('2026-02-28T12:00:00.000Z');
    return insert(PrivateKey, { account, sealedKey: 'a..b.c.d', createdAt, updatedAt });
  };
  /** All rows of a table, by its first column, as SQLite stores them, whichever database it is: 0 and 1, times in milliseconds. */
  const rows = async (table: string): Promise<Record<string, unknown>[]> => {
    const stored = await database.em.getConnection().execute(`select * from ${table} order by 1`);
    return stored.map((row: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, asInSqlite(column, value)])),
    );
  };
  const connection = database.em.getConnection();
  /** How often keys were verified: rows as they are stored, and what they add up to. */
  const createUses = async (
    uses: readonly (readonly [key: number, hour: string, outcome: string, count: number])[],
  ) => {
    const values = uses.map(([id, hour, outcome, count]) => ({
      api_key_id: id,
      hour: new Date(hour),
      outcome,
      count,
    }));
    await kysely
      .insertInto('api_key_use')
      .values(values as never)
      .execute();
    const inserted = `insert into account_use (account_id, hour, outcome, count)
      select account_id, hour, outcome, sum(count) from api_key_use join api_key on id = api_key_id
      group by account_id, hour, outcome`;
    for (const statement of ['delete from account_use', inserted]) await connection.execute(statement);
  };
  /** All of that, in order, of each key or of each account. */
  const uses = async (
    of: 'account' | 'api_key' = 'api_key',
  ): Promise<[id: number, hour: string, outcome: string, count: number][]> => {
    const select = `select ${of}_id as id, hour, outcome, count from ${of}_use order by ${of}_id, hour, outcome`;
    const stored: Record<string, unknown>[] = await connection.execute(select);
    return stored.map(({ id, hour, outcome, count }) => [
      Number(id),
      new Date(hour as string | number).toISOString(),
      String(outcome),
      Number(count),
    ]);
  };
  return {
    ...{ createAccount, createApiKey, createVerifiableKey, addSecret, createQuota, createPrivateKey },
    ...{ createUses, uses, rows },
  };
}
