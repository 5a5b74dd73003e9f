import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Binding } from '../../src/secrets/sealer.ts';
import { encryptionKeySize, pepperSize, secretKeys, secretList } from '../../src/secrets/secret-list.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { createTemporaryFolder, runService, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let file: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  file = join(folder.path, 'data', 'development-secrets.env');
});
afterEach(() => folder[Symbol.asyncDispose]());

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** The secrets of variables, ready for use. */
const read = (variables: NodeJS.Dict<string>) => {
  const keys = secretKeys({
    KEY_PEPPERS: secretList(pepperSize).parse(variables['KEY_PEPPERS']),
    KEY_ENCRYPTION_KEYS: secretList(encryptionKeySize).parse(variables['KEY_ENCRYPTION_KEYS']),
  });
  if (!keys) throw new Error('A secret is missing');
  return createSecrets(keys);
};

/** Alice's private key as it is stored, and what it is bound to. */
const storedKey = (databaseFile: string) => {
  const database = new Sqlite(databaseFile, { readonly: true, fileMustExist: true });
  const row = database.prepare('select id, account_id, sealed_key from private_key').get();
  database.close();
  const { id, account_id, sealed_key } = row as { id: number; account_id: number; sealed_key: string };
  const binding: Binding = { purpose: 'private-key', accountId: account_id, rowId: id };
  return { jwe: sealed_key, binding: { ...binding, version: 1 } };
};

describe('the development secrets', () => {
  it('are created once, readable only by their owner, and decrypt the seed data', async () => {
    const first = await startProcess(folder.path);
    await first[Symbol.asyncDispose]();
    const made = await readFile(file, 'utf8');
    expect(made).toMatch(/^KEY_PEPPERS=1:[\w+/]{43}=\nKEY_ENCRYPTION_KEYS=1:[\w+/]{43}=\n$/);
    expect(await modeOf(file)).toBe('600');
    expect(first.output.stdout + first.output.stderr).not.toMatch(/KEY_|[\w+/]{43}=/);

    await chmod(file, 0o644);
    const second = await startProcess(folder.path, { PORT: `${first.port}` });
    await second[Symbol.asyncDispose]();
    expect(await readFile(file, 'utf8')).toBe(made);
    expect(await modeOf(file)).toBe('600');

    const { jwe, binding } = storedKey(second.databaseFile);
    expect(await read(parseEnv(made)).sealer.open(jwe, binding)).toHaveLength(32);
  });

  it('are created next to the database, wherever that is', async () => {
    const database = join(folder.path, 'elsewhere', 'own.db');
    await using _service = await startProcess(folder.path, { DATABASE_URL: `sqlite:${database}` });
    expect(await modeOf(join(folder.path, 'elsewhere', 'development-secrets.env'))).toBe('600');
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each<[string, Record<string, string>]>([
    ['for a database in memory', { DATABASE_URL: 'sqlite::memory:' }],
    ['where others are configured', secretVariables()],
  ])('are not kept %s', async (_where, env) => {
    await using _service = await startProcess(folder.path, env);
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(stat(join(folder.path, 'development-secrets.env'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('are not used if secrets are configured', async () => {
    const variables = secretVariables();
    await using service = await startProcess(folder.path, variables);
    const { jwe, binding } = storedKey(service.databaseFile);
    expect(await read(variables).sealer.open(jwe, binding)).toHaveLength(32);
  });

  it.each(['', 'KEY_PEPPERS=1:c4n4ry\n'])('are never replaced if the file contains %j', async (text) => {
    const service = await startProcess(folder.path);
    await service[Symbol.asyncDispose]();
    await writeFile(file, text);
    expect(await runService(folder.path, { PORT: '0', DATA_DIR: service.dataDir })).toEqual({
      code: 1,
      stdout: '',
      stderr: `Keyward cannot start with this configuration:\n  ${file} is damaged: put it back, or delete it and the database to begin anew\n`,
    });
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
