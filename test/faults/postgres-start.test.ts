import { chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { foreignKey, sha256 } from '../support/imports.ts';
import { type OwnPostgres, queryServer, startOwnPostgres } from '../support/postgres-service.ts';
import {
  createTemporaryFolder,
  root,
  runCommand,
  runScript,
  runService,
  startProcess,
} from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { startTransfer } from '../support/transfer-commands.ts';

let postgres: OwnPostgres;
let url: string;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  url = await createOnServer(postgres.url);
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

it('exits with the code for another attempt while PostgreSQL is down, with 1 for a wrong password, and starts once it is up', async () => {
  await using folder = await createTemporaryFolder();
  const env = { DATABASE_URL: url, DATABASE_MIGRATE: 'auto' };
  await postgres.stop();
  expect(await runService(folder.path, { ...env, PORT: '0' })).toEqual({
    code: 75,
    stdout: '',
    stderr: expect.stringMatching(
      /^Keyward cannot start: the PostgreSQL of DATABASE_URL [^\n]*\(ECONNREFUSED\)[^\n]*\n$/,
    ),
  });
  await postgres.start();
  const stranger = Object.assign(new URL(url), { password: 'wrong' }).href;
  expect(await runService(folder.path, { ...env, DATABASE_URL: stranger, PORT: '0' })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Keyward cannot start with this configuration:\n[^\n]*\(28P01\)[^\n]*\n$/),
  });
  await using service = await startProcess(folder.path, env);
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
});

const lineOf = (key: string) =>
  `${JSON.stringify({ issuer: 'https://id.example.com', subject: 'alice', key_prefix: key.slice(0, 10), sha256: sha256(key) })}\n`;

/** What was printed in one sentence, with the line above it if there is one, and so without a stack. */
const oneSentence = /^(Keyward cannot start with this configuration:\n {2})?[^\n]+\n$/;

/** Every command that opens a database of PostgreSQL, and the service itself. */
const commands: readonly (readonly [script: string, ...args: string[]])[] = [
  ['main'],
  ['migrate'],
  ['import', 'keys'],
  ['export', '-'],
  ['end', 'ids'],
  ['rewrap'],
];

describe('no command shows a stack', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    writeFileSync(join(folder.path, 'keys'), lineOf(foreignKey()));
    writeFileSync(join(folder.path, 'ids'), '1\n');
  });
  afterAll(() => folder?.[Symbol.asyncDispose]());

  const run = ([script, ...args]: readonly [string, ...string[]], given: string) =>
    runScript(`dist/server/${script}.js`, args, {
      cwd: folder.path,
      env: { ...secretVariables(), PORT: '0', DATABASE_URL: given },
    });

  /** Runs each command on a database that it cannot use. */
  async function expectSentences(given: string, words: string, which = commands): Promise<void> {
    for (const command of which) {
      const { code, stderr } = await run(command, given);
      expect({ command, code, stderr }).toEqual({
        command,
        code: 1,
        stderr: expect.stringMatching(oneSentence),
      });
      expect(stderr).toContain(words);
    }
  }

  it('a database that does not exist', async () => {
    const missing = Object.assign(new URL(url), { pathname: '/not_there' }).href;
    await expectSentences(missing, 'names a database that does not exist (3D000)');
  });

  it('a database that is not UTF8', async () => {
    await queryServer(postgres.url)("create database latin encoding 'LATIN1' locale 'C' template template0");
    const latin = Object.assign(new URL(url), { pathname: '/latin' }).href;
    await expectSentences(latin, 'createdb --encoding=UTF8 --template=template0 keyward');
  });

  it('a missing table', async () => {
    const broken = await createOnServer(postgres.url);
    expect(await run(['migrate'], broken)).toMatchObject({ code: 0 });
    await queryServer(broken)('drop table api_key cascade');
    const others = commands.filter(([script]) => script !== 'migrate');
    await expectSentences(broken, '(42P01: relation "api_key" does not exist)', others);
  });

  it('a user without rights', async () => {
    const query = queryServer(postgres.url);
    await query("create role powerless login password 'c4n4ry'");
    const database = await createOnServer(postgres.url);
    const powerless = Object.assign(new URL(database), { username: 'powerless', password: 'c4n4ry' }).href;
    const { code, stderr } = await run(['migrate'], powerless);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(oneSentence) });
    expect(stderr).toContain('run GRANT CREATE ON SCHEMA public TO powerless');
    expect(await run(['migrate'], database)).toMatchObject({ code: 0 });
    await expectSentences(powerless, '(42501: permission denied for table');
  });

  it('PostgreSQL is stopped in the middle', async () => {
    const database = await createOnServer(postgres.url);
    expect(await run(['migrate'], database)).toMatchObject({ code: 0 });
    const lines = function* () {
      for (;;) yield lineOf(foreignKey());
    };
    await using running = startTransfer('import', ['-'], {
      cwd: folder.path,
      env: { ...secretVariables(), DATABASE_URL: database },
      lines: lines(),
    });
    while (Number((await queryServer(database)('select count(*) as n from api_key'))[0]?.['n']) === 0)
      await delay(50);
    await postgres.stop();
    const { code, stderr } = await running.ended;
    await postgres.start();
    expect({ code, stderr }).toEqual({ code: 75, stderr: expect.stringMatching(oneSentence) });
    expect(stderr).toMatch(
      /^The connection to PostgreSQL failed \(.*\): try again when PostgreSQL is available\./,
    );
  });
});

it('a user with the rights in the documents alone can run the service', async () => {
  await using folder = await createTemporaryFolder();
  const document = readFileSync(join(root, 'docs/operators.md'), 'utf8');
  const grants = /```sql\n(GRANT USAGE.*?)```/s.exec(document)?.[1] ?? '';
  const database = await createOnServer(postgres.url);
  const env = { ...secretVariables(), DATABASE_URL: database };
  const migrated = await runScript('dist/server/migrate.js', [], { cwd: folder.path, env });
  expect(migrated.code).toBe(0);
  await queryServer(postgres.url)("create role keyward_service login password 'secret'");
  await queryServer(database)(grants);
  const served = Object.assign(new URL(database), { username: 'keyward_service', password: 'secret' }).href;
  await using service = await startProcess(folder.path, { DATABASE_URL: served });
  const headers = {
    authorization: `Bearer ${await service.token('alice')}`,
    'content-type': 'application/json',
  };
  const ask = async (method: string, path: string, body: string | null = null) => {
    const response = await fetch(`${service.url}/api/v1${path}`, { method, headers, body });
    return [response.status, await response.json()] as const;
  };
  const [made, key] = await ask('POST', '/auth/keys', '{"quota": {"limit": 9, "refill": "daily"}}');
  expect([made, (await ask('PUT', '/automation/settings', '{"is_enabled": true}'))[0]]).toEqual([201, 200]);
  const accept = await fetch(`${service.url}/api/v1/keys/authorize`, { headers: { 'x-api-key': key.key } });
  expect(accept.status).toBe(200);
  expect((await ask('GET', '/audit-events'))[0]).toBe(200);
  expect((await ask('DELETE', `/auth/keys/${key.id}`))[0]).toBe(200);
  // The counts of usage are written at the latest now.
  service.signal('SIGTERM');
  expect((await service.ended).code).toBe(0);
  expect(await queryServer(database)('select 1 from api_key_use')).toHaveLength(1);
  expect(service.output.stdout).not.toContain('42501');
});

describe('a PostgreSQL whose certificate signs itself, as that of Heroku', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    const made = await runCommand(
      [
        ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2', '-subj', '/CN=db.example.com'],
      ],
      { cwd: folder.path, env: {} },
    );
    expect(made.code).toBe(0);
    const query = queryServer(postgres.url);
    const [row] = await query('show data_directory');
    const data = String(row?.['data_directory']);
    const { uid, gid } = statSync(data);
    for (const [from, to] of [
      ['key.pem', 'server.key'],
      ['cert.pem', 'server.crt'],
    ] as const) {
      copyFileSync(join(folder.path, from), join(data, to));
      chownSync(join(data, to), uid, gid);
    }
    await query('alter system set ssl = on');
    await query('select pg_reload_conf()');
  });
  afterAll(() => folder?.[Symbol.asyncDispose]());

  it('sslmode=require → refused, and told of sslmode=no-verify', async () => {
    const { code, stderr } = await runService(folder.path, {
      DATABASE_URL: `${url}?sslmode=require`,
      PORT: '0',
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(oneSentence) });
    expect(stderr).toContain(
      'name the certificate of its authority in sslrootcert, or accept any certificate with sslmode=no-verify',
    );
  });

  it('sslmode=no-verify → works encrypted, and one warning says what it gives up', async () => {
    const env = { DATABASE_URL: `${url}?sslmode=no-verify`, DATABASE_MIGRATE: 'auto' };
    await using service = await startProcess(folder.path, env);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    const sessions = await queryServer(url)(
      "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'keyward' and pid <> pg_backend_pid()",
    );
    expect(sessions.length).toBeGreaterThan(0);
    expect(sessions.every(({ ssl }) => ssl)).toBe(true);
    const lines = service.output.stdout.split('\n').filter((line) => line.includes('"level":40'));
    expect(lines).toEqual([
      expect.stringContaining('anyone between Keyward and PostgreSQL can pose as the server'),
    ]);
  });
});
