import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { developmentIssuer } from '../../src/dev/issuer.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { createBuilders } from '../support/gateway.ts';
import { report, rounds } from '../support/ledger.ts';
import { queryServer } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  freePort,
  type ServiceProcess,
  startProcess,
  unlimited,
} from '../support/process.ts';
import { secretListOf } from '../support/secrets.ts';
import { queryFile } from '../support/sqlite-service.ts';

const keys = 500;
const patience = 30_000;

/** Bob with 500 keys, each with so many hours of use; Alice has nothing. */
async function fill(database: Database, issuer: string, hours: number): Promise<void> {
  const secrets = createSecrets({ peppers: secretListOf(1), encryptionKeys: secretListOf(1) });
  const { createAccount, createVerifiableKey } = createBuilders(database, issuer, secrets);
  const bob = await createAccount('bob');
  for (let key = 0; key < keys; key += 1) await createVerifiableKey(bob);
  const hour = database.pool
    ? "timestamptz '2026-01-01' + n * interval '1 hour'"
    : `${Date.parse('2026-01-01')} + n * 3600000`;
  await database.em.getConnection().execute(
    `with recursive row (n) as (select 1 union all select n + 1 from row where n < ${hours})
     insert into api_key_use (api_key_id, hour, outcome, count) select id, ${hour}, 'valid', 1 from api_key cross join row`,
  );
}

/** Changes settings again and again until it is told to stop; how long each change took, in milliseconds. */
function keepChanging({ url }: ServiceProcess, token: string) {
  const times: number[] = [];
  const controller = new AbortController();
  const done = (async () => {
    for (let turn = 0; !controller.signal.aborted; turn += 1) {
      const startedAt = performance.now();
      const response = await fetch(`${url}/api/v1/automation/settings`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ is_enabled: turn % 2 === 0 }),
      });
      expect(response.status).toBe(200);
      times.push(performance.now() - startedAt);
    }
  })();
  return {
    stop: async () => {
      controller.abort();
      await done;
      return times.toSorted((one, other) => one - other);
    },
  };
}

const at = (times: readonly number[], share: number) =>
  Math.round((times[Math.floor((times.length - 1) * share)] ?? 0) * 10) / 10;

it.each(['SQLite', 'PostgreSQL'] as const)(
  'an account with a million hours of use is erased while others go on, also where the process is killed: %s',
  async (sort) => {
    const hours = rounds(2000, 200);
    await using folder = await createTemporaryFolder();
    const port = await freePort();
    const file = join(folder.path, 'keyward.db');
    const url = sort === 'SQLite' ? `sqlite:${file}` : await createOnServer(inject('postgresUrl') ?? '');
    {
      const config = databaseConfig(url);
      await using database = await openDatabase({
        ...config,
        timeouts: { ...config.timeouts, statement: 120_000 },
      });
      await migrate(database, config);
      await fill(database, developmentIssuer({ host: '127.0.0.1', port }), hours);
    }
    const query = sort === 'SQLite' ? queryFile(file) : queryServer(url);
    const countOf = async (table: string) =>
      Number((await query(`select count(*) as count from ${table}`))[0]?.['count']);
    const env = {
      ...unlimited,
      PORT: `${port}`,
      DATABASE_URL: url,
      DATABASE_MIGRATE: 'auto',
      ADMIN: 'on',
      LOG_LEVEL: 'error',
    };
    await using services = new AsyncDisposableStack();
    const start = async () => services.use(await startProcess(folder.path, env, patience));
    let service = await start();
    const alice = await service.token('alice');
    const operator = await service.token('olivia', 'keyward.admin');
    const quiet = keepChanging(service, alice);
    await delay(3000);
    const without = await quiet.stop();
    expect(await countOf('api_key_use')).toBe(keys * hours);

    const erase = () =>
      fetch(`${service.url}/api/v1/admin/accounts/1`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${operator}` },
      });
    const changing = keepChanging(service, alice);
    const startedAt = performance.now();
    expect((await erase()).status).toBe(200);
    const answered = performance.now() - startedAt;
    const leftAtAnswer = await countOf('api_key_use');
    while ((await countOf('api_key_use')) > (keys * hours) / 2) await delay(5);
    const during = await changing.stop();
    const whole = (performance.now() - startedAt) * 2;
    service.signal('SIGKILL');
    await service.ended;
    const left = await countOf('api_key_use');
    expect(left).toBeGreaterThan(0);
    expect(await countOf('api_key_secret')).toBe(0);

    service = await start();
    // The keys with their uses, and then those of the account.
    for (const table of ['api_key_use', 'api_key', 'account_use'])
      while ((await countOf(table)) > 0) await delay(20);
    report(`an account with ${keys * hours} hours of use is erased on ${sort}`, {
      'answered ms': Math.round(answered),
      'all of it ms': Math.round(whole),
      'uses left at the answer': leftAtAnswer,
      'uses left at the kill': left,
      'PUT without, median and most ms': [at(without, 0.5), at(without, 1)],
      'PUT meanwhile, median, p99 and most ms': [at(during, 0.5), at(during, 0.99), at(during, 1)],
      'PUTs meanwhile': during.length,
    });
    // In one transaction, nothing would be left at the answer, and others would be answered at its end.
    expect(leftAtAnswer).toBeGreaterThan(0);
    expect(during.length).toBeGreaterThan(10);
  },
);
