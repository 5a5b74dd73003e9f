import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { verifySecret } from '../../src/api-keys/verify/verify-secret.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { RateCounts } from '../../src/http/rate-limits/limiter.ts';
import type { SecretKeys } from '../../src/secrets/secret-list.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { databaseConfig } from '../support/database.ts';
import { createBuilders } from '../support/gateway.ts';
import {
  createTemporaryFolder,
  freePort,
  runScript,
  runService,
  startProcess,
  startScript,
} from '../support/process.ts';
import { createPrivateKey, createSealedKey } from '../support/sealed-rows.ts';
import { secretText } from '../support/secrets.ts';

type Service = Awaited<ReturnType<typeof startProcess>>;

interface Variables extends Record<string, string> {
  readonly KEY_PEPPERS: string;
  readonly KEY_ENCRYPTION_KEYS: string;
}

const first: Variables = { KEY_PEPPERS: secretText([1]), KEY_ENCRYPTION_KEYS: secretText([1]) };
const newer: Variables = { KEY_PEPPERS: secretText([2]), KEY_ENCRYPTION_KEYS: secretText([2]) };
const both: Variables = {
  KEY_PEPPERS: `${newer.KEY_PEPPERS},${first.KEY_PEPPERS}`,
  KEY_ENCRYPTION_KEYS: `${newer.KEY_ENCRYPTION_KEYS},${first.KEY_ENCRYPTION_KEYS}`,
};
const secretsOf = (variables: Variables) => createSecrets(loadConfig(variables).secrets as SecretKeys);

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const config = () => databaseConfig(`sqlite:${join(folder.path, 'keyward.db')}`);
const env = (variables: Variables) => ({ DATA_DIR: folder.path, ...variables });
const rewrap = (variables: Variables) =>
  runScript('dist/server/rewrap.js', [], { cwd: folder.path, env: env(variables) });

/** Works on the database while no other process does. */
async function withDatabase<Result>(run: (database: Database) => Promise<Result>): Promise<Result> {
  await using database = await openDatabase(config());
  await migrate(database, config());
  return await run(database);
}

const fill = (sealedKeys: number) =>
  withDatabase(async (database) => {
    const secrets = secretsOf(first);
    const { createAccount, createVerifiableKey, addSecret } = createBuilders(
      database,
      'https://id.example.com',
      secrets,
    );
    const alice = await createAccount('alice');
    const privateKey = await createPrivateKey(database, secrets, alice);
    const sealed: Awaited<ReturnType<typeof createSealedKey>>[] = [];
    for (let index = 0; index < sealedKeys; index += 1)
      sealed.push(await createSealedKey(database, secrets, alice));
    const unsealed = await createVerifiableKey(alice);
    const ended = createApiKeySecret();
    await addSecret(unsealed.id, ended, new Date('2026-01-01T00:00:00.000Z'));
    return { privateKey, sealed, unsealed, ended };
  });

interface ApiKeyRow {
  id: number;
  account_id: AccountId;
  encrypted_key: string;
  encryption_version: number;
}

const noQuotas = { spend: async () => null, refund: () => expect.fail(), peek: () => expect.fail() };

/** No key here has limits of its own. */
const services = {
  settings: loadConfig({}),
  keyUsage: { note: () => {} },
  keyRates: new RateCounts('key'),
  keyQuotas: noQuotas,
  accountRates: new RateCounts('keys-of-account'),
  accountQuotas: noQuotas,
  importedKeys: { waysOf: () => [] },
  idempotency: { runOnce: () => expect.fail() },
};

const asked = (secret: string) => ({ secret, permissions: [], cost: 1, address: null });

/** Whether all can be used with these secrets: each key let in, each sealed value opened. */
const isUsable = ({ privateKey, sealed }: Awaited<ReturnType<typeof fill>>, variables: Variables) =>
  withDatabase(async (database) => {
    const secrets = secretsOf(variables);
    const db = new Db(database.em);
    for (const { id, secret } of sealed) {
      const context = { db, services: { ...services, secrets }, record: {} };
      const verification = await verifySecret(context, asked(secret));
      expect(verification).toMatchObject({ reason: null, found: { id } });
    }
    const keys = await database.em
      .fork()
      .execute<ApiKeyRow[]>('select * from api_key where encrypted_key is not null');
    for (const key of keys) {
      const binding = { purpose: 'api-key', accountId: key.account_id, rowId: key.id } as const;
      const opened = await secrets.sealer.open(key.encrypted_key, {
        ...binding,
        version: key.encryption_version,
      });
      expect(Buffer.from(opened).toString()).toBe(sealed.find(({ id }) => id === key.id)?.secret);
    }
    const [row] = await database.em
      .fork()
      .execute<[{ sealed_key: string; encryption_version: number }]>('select * from private_key');
    const { accountId, rowId, plaintext } = privateKey;
    const opened = await secrets.sealer.open(row.sealed_key, {
      purpose: 'private-key',
      accountId,
      rowId,
      version: row.encryption_version,
    });
    expect(Buffer.from(opened)).toEqual(plaintext);
  });

const versions = () =>
  withDatabase(async (database) => {
    const count = async (table: string, column: string) =>
      database.em
        .fork()
        .execute(
          `select ${column} as version, count(*) as n from ${table} group by ${column} order by ${column}`,
        );
    return {
      digests: await count('api_key_secret', 'pepper_version'),
      privateKeys: await count('private_key', 'encryption_version'),
    };
  });

describe('keys:rewrap', () => {
  it('moves everything it can to the newest versions, and says what is left', async () => {
    const filled = await fill(120);
    const { code, stdout, stderr } = await rewrap(both);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'private keys: 1 of 1 moved',
      'private keys: 1 moved, 0 left under older versions',
      'sealed copies of API keys: 100 of 120 moved',
      'sealed copies of API keys: 120 of 120 moved',
      'sealed copies of API keys: 120 moved, 0 left under older versions',
      'secrets of webhook endpoints: 0 moved, 0 left under older versions',
      'digests of API keys: 100 of 121 moved',
      'digests of API keys: 120 of 121 moved',
      'digests of API keys: 120 moved, 1 left under older versions',
      `  needed until these keys are rotated or deactivated: ${filled.unsealed.id}`,
      '',
    ]);
    // The old pepper is still needed, for the key that has no sealed copy; the old encryption key is not.
    const later = { ...newer, KEY_PEPPERS: both.KEY_PEPPERS };
    await isUsable(filled, later);
    expect(await versions()).toEqual({
      digests: [
        { version: 1, n: 2 },
        { version: 2, n: 120 },
      ],
      privateKeys: [{ version: 2, n: 1 }],
    });
    expect((await rewrap(both)).stdout).toContain('digests of API keys: 0 moved, 1 left');
  }, 60_000);

  it('can be killed at any moment, and continues where it was', async () => {
    const filled = await fill(1500);
    let kills = 0;
    for (const lines of [1, 4, 9, 14, 20]) {
      await using running = startScript('dist/server/rewrap.js', {
        cwd: folder.path,
        env: env(both),
      });
      while (running.output.stdout.split('\n').length <= lines && !running.hasEnded())
        await new Promise(setImmediate);
      if (!running.hasEnded()) kills += 1;
      await running.kill();
      await isUsable(filled, both);
    }
    expect(kills).toBeGreaterThan(0);
    expect((await rewrap(both)).code).toBe(0);
    await isUsable(filled, { ...newer, KEY_PEPPERS: both.KEY_PEPPERS });
    expect((await versions()).digests).toEqual([
      { version: 1, n: 2 },
      { version: 2, n: 1500 },
    ]);
  }, 120_000);

  it('names unreadable rows, moves the others, and fails', async () => {
    await fill(3);
    await withDatabase((database) =>
      database.em.fork().execute("update api_key set encrypted_key = 'a..b.c.d' where id = 2"),
    );
    const { code, stdout, stderr } = await rewrap(both);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'sealed copies of API keys: rows that cannot be read: 2\ndigests of API keys: rows that cannot be read: 2\n',
    );
    expect(stdout).toContain('sealed copies of API keys: 2 moved, 1 left');
  });

  const refusal = (...faults: string[]) => ({
    code: 1,
    stdout: '',
    stderr: `Keyward cannot start with this configuration:\n${faults.map((fault) => `  ${fault}\n`).join('')}`,
  });

  it('refuses to start, like the service, if a version in use is missing', async () => {
    await fill(1);
    const missing = refusal(
      'KEY_PEPPERS has no version 1, under which API keys are hashed',
      'KEY_ENCRYPTION_KEYS has no version 1, under which API keys are sealed',
      'KEY_ENCRYPTION_KEYS has no version 1, under which private keys are sealed',
    );
    expect(await rewrap(newer)).toEqual(missing);
    expect(await runService(folder.path, { PORT: '0', ...env(newer) })).toEqual(missing);
  });

  it('an old pepper can be removed once its keys are rotated or deactivated', async () => {
    const call = async ({ url, token }: Service, subject: string, method: string, path = '') => {
      const answer = await fetch(`${url}/api/v1/auth/keys${path}`, {
        method,
        headers: { authorization: `Bearer ${await token(subject)}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    // The port is part of the development issuer's name, and so of each account.
    const port = { PORT: `${await freePort()}` };
    const start = (variables: Variables) => startProcess(folder.path, { ...env(variables), ...port });
    /** The active keys of a new database, and whose each is. */
    const listKeys = async () => {
      await using service = await start(first);
      const keys = new Map<number, string>();
      for (const subject of ['alice', 'bob'])
        for (const key of await call(service, subject, 'GET')) if (key.is_active) keys.set(key.id, subject);
      return [...keys].sort(([one], [other]) => one - other);
    };
    const keys = await listKeys();
    const ids = keys.map(([id]) => id);
    const left = `needed until these keys are rotated or deactivated: ${ids.join(', ')}\n`;
    expect((await rewrap(both)).stdout).toContain(left);

    const [[rotated, owner] = [0, ''], ...others] = keys;
    expect(others.length).toBeGreaterThan(1);
    const endAll = async (): Promise<string> => {
      await using service = await start(both);
      for (const [id, subject] of others) await call(service, subject, 'DELETE', `/${id}`);
      return (await call(service, owner, 'POST', `/${rotated}/rotate`)).key;
    };
    const key = await endAll();
    expect((await rewrap(both)).stdout).toContain(
      'digests of API keys: 0 moved, 0 left under older versions\n',
    );

    await using service = await start(newer);
    const self = await fetch(`${service.url}/api/v1/keys/self`, { headers: { 'x-api-key': key } });
    expect(await self.json()).toMatchObject({ id: rotated, is_active: true });
  }, 60_000);

  it('refuses to start without secrets', async () => {
    const ended = await runScript('dist/server/rewrap.js', [], {
      cwd: folder.path,
      env: { DATA_DIR: folder.path },
    });
    expect(ended).toEqual(
      refusal('KEY_PEPPERS and KEY_ENCRYPTION_KEYS must be set: all is moved to their first'),
    );
  });
});
