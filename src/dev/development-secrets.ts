import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { isPostgres } from '../database/database.ts';
import { followLinks, makePrivate, sqliteFile } from '../database/sqlite/file.ts';
import { encryptionKeySize, pepperSize, type SecretKeys, secretList } from '../secrets/secret-list.ts';

const schema = z
  .object({ KEY_PEPPERS: secretList(pepperSize), KEY_ENCRYPTION_KEYS: secretList(encryptionKeySize) })
  .transform((read): SecretKeys => ({ peppers: read.KEY_PEPPERS, encryptionKeys: read.KEY_ENCRYPTION_KEYS }));

const newSecret = () => `1:${randomBytes(32).toString('base64')}`;

const newSecrets = () => `KEY_PEPPERS=${newSecret()}\nKEY_ENCRYPTION_KEYS=${newSecret()}\n`;

/** The folder of the database. So the secrets move with the database and are deleted with it. */
const folderOf = ({ dataDir, database }: Config): string =>
  isPostgres(database) ? dataDir : dirname(sqliteFile(database));

/**
 * Reads the file of secrets. If the file is missing, makes it first, readable for its owner only.
 * @throws {ConfigError} if the file is a link in a folder that others can write to
 */
function readOrCreate(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const path = followLinks(file);
  if (!existsSync(path)) writeFileSync(path, newSecrets(), { flag: 'wx', mode: 0o600, flush: true });
  makePrivate(path);
  return readFileSync(path, 'utf8');
}

/**
 * The secrets of a server without configured ones. The first start makes them and stores them beside the database;
 * with a database in memory, each start makes new ones and stores none.
 * @throws {ConfigError} if the file of secrets cannot be used
 */
export function developmentSecrets(config: Config): SecretKeys {
  const inMemory = config.database.url === 'sqlite::memory:';
  const file = join(folderOf(config), 'development-secrets.env');
  const read = schema.safeParse(parseEnv(inMemory ? newSecrets() : readOrCreate(file)));
  if (read.success) return read.data;
  throw new ConfigError([`${file} is damaged: put it back, or delete it and the database to begin anew`]);
}
