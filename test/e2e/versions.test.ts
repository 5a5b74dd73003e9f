import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { type OwnPostgres, queryServer, startOwnPostgres } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  root,
  runCommand,
  runService,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';

/** A version after this one, built in a folder of its own: the same source with one migration more. */
async function buildNext(folder: string, name: string, statement: string) {
  const home = join(folder, name);
  for (const each of ['src', 'schema', 'package.json', 'vite.config.ts'])
    await cp(join(root, each), join(home, each), { recursive: true });
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  const migration = `import { Migration } from '@mikro-orm/migrations';
    export class ${name} extends Migration {
      override up(): void {
        this.addSql('${statement}');
      }
    }`;
  const lists = join(home, 'src/database/migration-lists.ts');
  let text = await readFile(lists, 'utf8');
  for (const [database, list] of Object.entries({ sqlite: 'sqlite', postgresql: 'postgres' })) {
    const file = `migrations/${database}/${name}.ts`;
    await writeFile(join(home, 'src/database', file), migration);
    const entry = `${name}: () => import('./${file}'),`;
    text = text.replace(new RegExp(`(${list}Migrations: MigrationList = {[^;]*)};`), `$1${entry} };`);
  }
  await writeFile(lists, text);
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const options = { cwd: home, env: {}, timeout: 60_000 };
  expect(await runCommand([process.execPath, vite, 'build'], options)).toMatchObject({ code: 0 });
  return {
    name,
    command: [process.execPath, join(home, 'dist/server/main.js')],
    migrate: (env: Record<string, string>) =>
      runCommand([process.execPath, join(home, 'dist/server/migrate.js')], { cwd: folder, env }),
  };
}

type Version = Awaited<ReturnType<typeof buildNext>>;

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let postgres: OwnPostgres;
let withColumn: Version;
let withIndex: Version;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  postgres = await startOwnPostgres();
  const column = 'alter table api_key add column refused_at varchar(30) null';
  const index = 'create index api_key_by_prefix on api_key (key_prefix)';
  withColumn = await buildNext(folder.path, 'Migration20991231000000', column);
  withIndex = await buildNext(folder.path, 'Migration20991231000000_compatible', index);
}, 150_000);
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** Makes an API key; what nodes answer a proxy that asks about it. */
async function makeKey(node: ServiceProcess) {
  const headers = {
    authorization: `Bearer ${await node.token('alice')}`,
    'content-type': 'application/json',
  };
  const made = await fetch(`${node.url}/api/v1/auth/keys`, { method: 'POST', headers, body: '{}' });
  const { key } = (await made.json()) as { key: string };
  return async ({ url }: ServiceProcess) => {
    const answer = await fetch(`${url}/api/v1/keys/authorize`, { headers: { 'x-api-key': key } });
    return [answer.status, await answer.text()];
  };
}

const readiness = async ({ url }: ServiceProcess) => {
  const answer = await fetch(`${url}/health/ready`);
  return [answer.status, await answer.json()];
};

const outdated = [
  503,
  '{"title":"Service Unavailable","status":503,"detail":"This node is older than its database"}',
];
const fault = 'its schema is newer than this version (Migration20991231000000)';

/** Refused in a sentence, whether it may migrate or not. */
const expectRefused = async (env: Record<string, string>) => {
  for (const mode of ['auto', 'check'])
    expect(await runService(folder.path, { ...env, DATABASE_MIGRATE: mode, PORT: '0' })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Keyward cannot start.*:\n.* newer than this version \(\w+\): .*\n$/),
    });
};

describe('a node, while a newer version migrates its PostgreSQL', () => {
  const start = async () => {
    const env = { DATABASE_URL: await createOnServer(postgres.url), DATABASE_MIGRATE: 'auto' };
    return { env, older: await startProcess(folder.path, env) };
  };

  it('stops answering about keys, says why, and does not start again', { timeout: 60_000 }, async () => {
    const { env, older } = await start();
    await using _ = older;
    const ask = await makeKey(older);
    expect(await ask(older)).toEqual([200, '']);
    expect(await withColumn.migrate(env)).toMatchObject({ code: 0 });
    // Nobody asks about its health meanwhile.
    await expect.poll(() => ask(older), { timeout: 20_000, interval: 200 }).toEqual(outdated);
    expect(await readiness(older)).toEqual([
      503,
      { status: 'unavailable', faults: [{ part: 'database', fault }] },
    ]);
    expect(older.output.stdout).toContain(fault);
    await expectRefused(env);
    await using newer = await startProcess(folder.path, env, undefined, withColumn.command);
    expect(await ask(newer)).toEqual([200, '']);
    expect(await ask(older)).toEqual(outdated);
  });

  it('writes nothing on its own, not even when it stops', { timeout: 60_000 }, async () => {
    const { env, older } = await start();
    await using _ = older;
    const ask = await makeKey(older);
    // This use is written within 30 seconds, or at the stop.
    expect(await ask(older)).toEqual([200, '']);
    expect(await withColumn.migrate(env)).toMatchObject({ code: 0 });
    await expect.poll(() => ask(older), { timeout: 20_000, interval: 200 }).toEqual(outdated);
    const query = queryServer(env.DATABASE_URL);
    const written = async () => [
      await query('select count(*) as n from api_key_use'),
      await query('select count(*) as n from api_key where last_used_at is not null'),
    ];
    const before = await written();
    older.signal('SIGTERM');
    expect(await older.ended).toMatchObject({ code: 0 });
    expect(await written()).toEqual(before);
  });

  it('continues and can start again if only an index was added', { timeout: 60_000 }, async () => {
    const { env, older } = await start();
    await using _ = older;
    const ask = await makeKey(older);
    expect((await withIndex.migrate(env)).stdout).toContain(withIndex.name);
    // It looks at the schema for each of these: they are more than a second apart.
    for (const _ of [1, 2]) {
      expect(await readiness(older)).toEqual([200, { status: 'ok' }]);
      await new Promise((resolve) => setTimeout(resolve, 1100));
    }
    expect(await ask(older)).toEqual([200, '']);
    await using again = await startProcess(folder.path, env);
    expect(await ask(again)).toEqual([200, '']);
  });
});

describe('a node, after a newer version has migrated its SQLite file', () => {
  it('does not start, and the newer one does', { timeout: 60_000 }, async () => {
    const env = { DATABASE_URL: `sqlite:${join(folder.path, 'versions.db')}` };
    let ask: Awaited<ReturnType<typeof makeKey>>;
    {
      await using older = await startProcess(folder.path, env);
      ask = await makeKey(older);
    }
    expect(await withColumn.migrate(env)).toMatchObject({ code: 0 });
    await expectRefused(env);
    await using newer = await startProcess(folder.path, env, undefined, withColumn.command);
    expect(await ask(newer)).toEqual([200, '']);
  });

  it('starts if only an index was added', { timeout: 60_000 }, async () => {
    const env = { DATABASE_URL: `sqlite:${join(folder.path, 'compatible.db')}` };
    expect((await withIndex.migrate(env)).stdout).toContain(withIndex.name);
    await using older = await startProcess(folder.path, env);
    const ask = await makeKey(older);
    expect(await ask(older)).toEqual([200, '']);
  });
});
