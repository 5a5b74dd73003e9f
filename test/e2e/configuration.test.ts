import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  freePort,
  root,
  runScript,
  runService,
  startProcess,
} from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;

beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** All that is printed: the faults, one a line, and so no stack. */
const refusal = (...faults: string[]) => ({
  code: 1,
  stdout: '',
  stderr: `Keyward cannot start with this configuration:\n${faults.map((fault) => `  ${fault}\n`).join('')}`,
});

describe('refused with a message', () => {
  it('names every fault at once', async () => {
    const ended = await runService(folder.path, {
      ...secretVariables(),
      PORT: 'http',
      AUTH_ISSUER: 'http://id.example.com',
      AUTH_ALGORITHMS: 'RS256,HS256',
      SESSION_DURATION_MIN: '0',
      LOG_LEVEL: 'loud',
    });
    expect(ended).toEqual(
      refusal(
        'PORT must be a whole number from 0 to 65535. Example: PORT=8080',
        'AUTH_ISSUER must begin with https:// (http:// is allowed for this machine only). Example: AUTH_ISSUER=https://id.example.com/realms/main',
        'AUTH_ALGORITHMS may only name RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519. Example: AUTH_ALGORITHMS=RS256,ES256',
        'SESSION_DURATION_MIN must be a whole number of seconds from 1 to 999999999. Example: SESSION_DURATION_MIN=60',
        'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent. Example: LOG_LEVEL=debug',
        'AUTH_AUDIENCE or AUTH_CLIENT_ID or AUTH_AUTHORIZED_PARTIES must be given: else a token for any other service would do. Example: AUTH_AUDIENCE=keyward',
      ),
    );
  });

  it.each(['prod', 'Production', ' production '])(
    'does not start with the development provider where NODE_ENV is %j',
    async (NODE_ENV) => {
      expect(await runService(folder.path, { NODE_ENV, PORT: '0' })).toEqual(
        refusal('NODE_ENV must be "development", "test" or "production". Example: NODE_ENV=production'),
      );
    },
  );

  it.each(['main', 'migrate', 'rewrap'])('%s names a misspelt variable', async (script) => {
    const env = { AUTH_AUDIANCE: 'c4n4ry', DATABASE_URL: 'sqlite::memory:' };
    expect(await runScript(`dist/server/${script}.js`, [], { cwd: folder.path, env })).toEqual(
      refusal('AUTH_AUDIANCE is no variable of Keyward: did you mean AUTH_AUDIENCE?'),
    );
  });

  it('says that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const ended = await runService(folder.path, { PORT: `${port}` });
    other.close();
    expect(ended).toEqual(refusal(`PORT ${port} is in use on 127.0.0.1: set another one`));
  });

  it('does not start in production without an issuer', async () => {
    expect(await runService(folder.path, { NODE_ENV: 'production', ...secretVariables() })).toEqual(
      refusal(
        'AUTH_ISSUER (or AUTH_ISSUERS) must be set in production: the development identity provider lets anyone in. Example: AUTH_ISSUER=https://id.example.com/realms/main',
      ),
    );
  });

  it('does not start with an issuer but without secrets', async () => {
    const env = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward' };
    const missing = (name: string) =>
      `${name} (or ${name}_FILE) must be set: VERSION:SECRET. Example: ${name}="1:$(openssl rand -base64 32)"`;
    const missed = refusal(missing('KEY_PEPPERS'), missing('KEY_ENCRYPTION_KEYS'));
    expect(await runService(folder.path, { ...env, NODE_ENV: 'production' })).toEqual(missed);
    expect(await runService(folder.path, env)).toEqual(missed);
  });

  it('does not start on an empty database that it may not migrate', async () => {
    await using empty = await createTemporaryFolder();
    expect(await runService(empty.path, { PORT: '0', DATABASE_MIGRATE: 'check' })).toEqual(
      refusal(
        'DATABASE_URL names a database whose schema is older than this version: run `npm run db:migrate`, or set DATABASE_MIGRATE=auto',
      ),
    );
  });

  it('does not start if PostgreSQL is down, and its exit code says to try again', async () => {
    const DATABASE_URL = `postgres://keyward:secret@127.0.0.1:${await freePort()}/keyward`;
    const refused = {
      code: 75,
      stdout: '',
      stderr:
        'Keyward cannot start: the PostgreSQL of DATABASE_URL takes no connection now (ECONNREFUSED). It ends with exit code 75, to be started again.\n',
    };
    expect(await runService(folder.path, { PORT: '0', DATABASE_URL })).toEqual(refused);
    const provider = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward' };
    const workers = { ...secretVariables(), ...provider, DATABASE_URL, WORKERS: '2' };
    expect(await runService(folder.path, workers)).toEqual(refused);
    const command = await runScript('dist/server/migrate.js', [], {
      cwd: folder.path,
      env: { DATABASE_URL },
    });
    expect(command).toEqual(refused);
  });

  it('does not start on the database of a running process, which continues', async () => {
    await using data = await createTemporaryFolder();
    await using service = await startProcess(data.path);
    expect(await runService(data.path, { PORT: '0', DATA_DIR: service.dataDir })).toEqual(
      refusal(`DATABASE_URL names ${service.databaseFile}, which another process of Keyward is using`),
    );
    const headers = { authorization: `Bearer ${await service.token('alice')}` };
    const settings = {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    };
    expect((await fetch(`${service.url}/api/v1/automation/settings`, settings)).status).toBe(200);
  });
});

describe('--check-config', () => {
  const provider = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward' };
  const check = (cwd: string, env: Record<string, string>) => runService(cwd, env, ['--check-config']);

  it('says in one line that it is valid, without its port or database', async () => {
    await using empty = await createTemporaryFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const PORT = `${(other.address() as AddressInfo).port}`;
    const database = 'postgres://keyward:c4n4ry@127.0.0.1:1/keyward';
    const postgres = { ...provider, ...secretVariables(), PORT, DATABASE_URL: database };
    expect([await check(empty.path, { PORT }), await check(empty.path, postgres)]).toEqual([
      {
        code: 0,
        stdout:
          'The configuration is good. Database: SQLite, data/keyward.db. Issuer of access tokens: the development identity provider, which lets anyone in.\n',
        stderr: '',
      },
      {
        code: 0,
        stdout:
          'The configuration is good. Database: PostgreSQL. Issuer of access tokens: https://id.example.com.\nhttps://id.example.com: access tokens for the audience keyward. Scopes are in scope or scp.\n',
        stderr: '',
      },
    ]);
    other.close();
    expect(await readdir(empty.path)).toEqual([]);
  });

  it('reads the plans, and says how many accounts have an unknown one', async () => {
    await using data = await createTemporaryFolder();
    const PLANS_FILE = join(data.path, 'plans.yaml');
    await writeFile(PLANS_FILE, 'default: free\nplans: {free: {}, pro: {}}\n');
    const plans = (found: string) =>
      expect.stringMatching(
        new RegExp(`\\. Plans: free, pro; free is the default\\. ${found} not among them\\.\n$`),
      );
    expect((await check(data.path, { PLANS_FILE })).stdout).toEqual(plans('0 accounts have a plan that is'));
    await using service = await startProcess(data.path, { PLANS_FILE });
    const entitle = async (subject: string, plan: string) => {
      const answer = await fetch(`${service.url}/api/v1/admin/entitlements`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${await service.token('billing', 'accounts.entitle')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ issuer: `${service.url}/idp`, subject, plan }),
      });
      expect(answer.status).toBe(200);
    };
    await entitle('alice', 'pro');
    await entitle('bob', 'free');
    await writeFile(PLANS_FILE, 'default: free\nplans: {free: {}}\n');
    const env = { PLANS_FILE, DATA_DIR: service.dataDir };
    // The service still runs, and holds its file.
    expect((await check(data.path, env)).stdout).toMatch(
      / Plans: free; free is the default\. 1 account has a plan that is not among them\.\n$/,
    );
    await writeFile(PLANS_FILE, 'default: free\nplans: {free: {quotas: 1}}\n');
    expect(await check(data.path, env)).toEqual(
      refusal(
        `PLANS_FILE names ${PLANS_FILE}, where plan "free": May only have the members permissions, rate_limit, quota, max_active_keys, max_key_days, metadata: quotas. Example: PLANS_FILE=/etc/keyward/plans.yaml`,
      ),
    );
  });

  it('does not repeat the name of an unknown member', async () => {
    const issuer = { issuer: 'https://id.example.com', audience: 'keyward', c4n4ry: 'c4n4ry' };
    const env = { ...secretVariables(), AUTH_ISSUERS: JSON.stringify([issuer]) };
    expect(await check(folder.path, env)).toEqual(
      refusal(
        `AUTH_ISSUERS 0 may only have the members issuer, jwksUri, audience, clientId, authorizedParties, tokens, scopeClaims, scopeAliases, people, require, organization, grants. Example: AUTH_ISSUERS='[{"issuer": "https://id.example.com", "audience": "keyward"}]'`,
      ),
    );
  });

  it('names every fault, including an unreadable file of secrets', async () => {
    const { KEY_ENCRYPTION_KEYS } = secretVariables();
    const missing = join(folder.path, 'no-peppers');
    const env = { ...provider, KEY_ENCRYPTION_KEYS, KEY_PEPPERS_FILE: missing, PORT: 'http' };
    expect(await check(folder.path, env)).toEqual(
      refusal(
        'PORT must be a whole number from 0 to 65535. Example: PORT=8080',
        'KEY_PEPPERS_FILE names a file that cannot be read (ENOENT). Example: KEY_PEPPERS_FILE=/run/secrets/peppers',
      ),
    );
  });
});

describe('the command line', () => {
  const commands = [
    ['dist/server/main.js', 'npm start -- '],
    ['dist/server/migrate.js', 'npm run db:migrate -- '],
    ['dist/server/backup.js', 'npm run db:backup -- '],
    ['dist/server/rewrap.js', 'npm run keys:rewrap -- '],
    ['dist/server/import.js', 'npm run keys:import -- '],
    ['dist/server/export.js', 'npm run keys:export -- '],
    ['src/dev/token.ts', 'npm run --silent token -- '],
    ['src/dev/print-schema.ts', 'npm run schema -- '],
    ['src/dev/print-configuration.ts', 'npm run config:docs -- '],
    ['test/bench/run.ts', 'npm run bench -- '],
    ['test/load/soak.ts', 'node test/load/soak.ts '],
  ] as const;

  it.each(commands)('of %s has --help, whatever the configuration is', async (script, call) => {
    await using empty = await createTemporaryFolder();
    const env = { PORT: 'http', DATA_DIR: empty.path };
    const helped = await runScript(script, ['--help'], { cwd: empty.path, env });
    expect(helped).toMatchObject({ code: 0, stderr: '' });
    expect(helped.stdout.startsWith(`Usage: ${call}`)).toBe(true);
    expect(helped.stdout).toMatch(/\n {2}--help {2,}prints this text\n$/);
    const refused = (message: RegExp) => ({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    const run = (...args: string[]) => runScript(script, args, { cwd: empty.path, env });
    expect(await run('--chek')).toEqual(refused(/^Unknown option '--chek'\.\n\nUsage: /));
    expect(await run('one', 'two')).toEqual(refused(/^There is no argument (one|two)\.\n\nUsage: /));
    expect(await readdir(empty.path)).toEqual([]);
  });

  it('prints the version', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const ended = await runService(folder.path, { PORT: 'http' }, ['--version']);
    expect(ended).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});
