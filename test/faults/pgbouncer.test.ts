import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { translateError } from '../../src/database/failures.ts';
import { developmentIssuer } from '../../src/dev/issuer.ts';
import { createOnServer, databaseConfig, inTransaction } from '../support/database.ts';
import {
  acknowledged,
  audit,
  createWriters,
  phantoms,
  report,
  signIn,
  startLoad,
} from '../support/ledger.ts';
import { keepsStatements, runsPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { queryServer } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  freePort,
  runScript,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';

/** Fewer than a service has connections to PgBouncer. */
const servers = 3;

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let bouncer: Awaited<ReturnType<typeof startPgBouncer>>;
beforeAll(async () => {
  if (!runsPgBouncer) return;
  folder = await createTemporaryFolder();
  bouncer = await startPgBouncer(folder.path, inject('postgresUrl') ?? '', servers);
});
afterAll(async () => {
  await bouncer?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** The warnings in the log of a service. */
const warningsOf = ({ output }: ServiceProcess): string[] =>
  output.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level, msg }) => level >= 40 && /pooler/.test(msg))
    .map(({ msg }) => msg);

const timeouts = expect.stringContaining('refuses time-outs');
const statements = expect.stringContaining('DATABASE_STATEMENTS=unnamed');

/** What a life of one key leaves behind, the newest first. */
const events = ['automation-settings-updated', 'api-key-deactivated', 'api-key-created', 'account-created'];

/** Makes an API key, verifies it, deactivates it, and verifies it again; all over REST. */
async function liveOneKey(service: ServiceProcess, subject: string): Promise<unknown[]> {
  const token = await service.token(subject);
  const verifier = await service.token('backend', 'keys.verify');
  const call = async (method: string, path: string, bearer: string, json?: object) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    const body = json === undefined ? null : JSON.stringify(json);
    const response = await fetch(`${service.url}/api/v1${path}`, { method, headers, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const { status, body } = await call('POST', '/auth/keys', token, { name: subject });
  const verify = () => call('POST', '/keys/verify', verifier, { key: body['key'] });
  const before = await verify();
  const deactivated = await call('DELETE', `/auth/keys/${body['id']}`, token);
  const after = await verify();
  const settings = await call('PUT', '/automation/settings', token, { is_enabled: true });
  const audited = await call('GET', '/audit-events', token);
  return [
    status,
    before.body['valid'],
    deactivated.body['is_active'],
    after.body['reason'],
    settings.status,
    Object.values(audited.body).map((event) => (event as { action: string }).action),
  ];
}

describe.runIf(runsPgBouncer)('a service behind PgBouncer in transaction mode', () => {
  it.each([
    ['unnamed', [timeouts]],
    ['named', keepsStatements() ? [timeouts] : [timeouts, statements]],
  ])('does all that it does elsewhere: DATABASE_STATEMENTS=%s', async (kind, expected) => {
    await using home = await createTemporaryFolder();
    const direct = await createOnServer(inject('postgresUrl') ?? '');
    const port = await freePort();
    const env = { DATABASE_URL: bouncer.through(direct), DATABASE_STATEMENTS: kind };
    const migrated = await runScript('dist/server/migrate.js', [], { cwd: home.path, env });
    expect(migrated).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^PostgreSQL: the schema is up to date now, by\n/),
    });
    expect(migrated.stderr).toMatch(/^Warning: a pooler .* refuses time-outs .*\n$/);
    const query = queryServer(direct);
    const issuer = developmentIssuer({ host: '127.0.0.1', port });
    const writers = await (async () => {
      await using database = await openDatabase(databaseConfig(direct));
      return await createWriters(database, issuer, { people: 8, keysEach: 40 });
    })();
    await using service = await startProcess(home.path, { ...env, PORT: `${port}` });
    await signIn(service, writers);
    const load = startLoad(service.url, writers);
    const people = Array.from({ length: 8 }, (_, index) => liveOneKey(service, `person-${index}`));
    for (const lived of await Promise.all(people)) {
      expect(lived).toEqual([201, true, false, 'inactive', 200, events]);
    }
    await load.untilAcknowledged(400);
    await load.stop();
    report(`PgBouncer, ${kind}`, { acknowledged: acknowledged(writers) });
    expect([...load.statuses.keys()]).toEqual([200]);
    expect(load.unexpected).toEqual([]);
    expect(await audit(writers, query)).toEqual([]);
    // The writers know nothing of the other people's keys.
    expect(await phantoms(writers, query)).toHaveLength(people.length);
    expect(warningsOf(service)).toEqual(expected);
  });

  // The statements would take five minutes, and the test has less.
  it('enforces the limits that the server does not', { timeout: 120_000 }, async () => {
    const url = bouncer.through(await createOnServer(inject('postgresUrl') ?? ''));
    const config = {
      ...databaseConfig(url),
      timeouts: { connect: 500, statement: 1000, idleInTransaction: 1000 },
    };
    await using database = await openDatabase(config, () => {});
    const attempts = Array.from({ length: 2 }, () =>
      inTransaction(database, (execute) => execute('select pg_sleep(300)')),
    );
    for (const { status, reason } of (await Promise.allSettled(attempts)) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(translateError(reason).status).toBe(503);
    }
    expect(await inTransaction(database, (execute) => execute('select 1 as one'))).toEqual([{ one: 1 }]);
  });

  it('reads dates, and makes changes at once, whatever the settings of the database are', async () => {
    const server = inject('postgresUrl') ?? '';
    const url = await createOnServer(server, inject('postgresTemplate'));
    const name = new URL(url).pathname.slice(1);
    const settings = ["datestyle = 'German'", "default_transaction_isolation = 'serializable'"];
    for (const setting of settings) await queryServer(server)(`alter database ${name} set ${setting}`);
    const config = { ...databaseConfig(bouncer.through(url)), poolSize: 8, statements: 'unnamed' as const };
    await using database = await openDatabase(config, () => {});
    const create = (subject: string) =>
      inTransaction(database, async (execute) => {
        await execute(`insert into account (issuer, subject, created_at) values ('i', '${subject}', now())`);
        return execute(`select created_at from account where subject = '${subject}'`);
      });
    const created = await Promise.all(Array.from({ length: 48 }, (_, index) => create(`person-${index}`)));
    expect(created.flat()).toEqual(Array(48).fill({ createdAt: expect.any(Date) }));
  });
});
