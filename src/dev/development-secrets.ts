import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { isPostgres } from '../database/database.ts';
import { sqliteFile } from '../database/sqlite/file.ts';
import { encryptionKeySize, pepperSize, type SecretKeys, secretList } from '../secrets/secret-list.ts';

const schema = z
  .object({ KEY_PEPPERS: secretList(pepperSize), KEY_ENCRYPTION_KEYS: secretList(encryptionKeySize) })
  .transform((read): SecretKeys => ({ peppers: read.KEY_PEPPERS, encryptionKeys: read.KEY_ENCRYPTION_KEYS }));

const newSecret = () => `1:${randomBytes(32).toString('base64')}`;

const newSecrets = () => `KEY_PEPPERS=${newSecret()}\nKEY_ENCRYPTION_KEYS=${newSecret()}\n`;

/** The folder that the database is in, so that the two are moved and deleted together. */
const folderOf = ({ dataDir, database }: Config): string =>
  isPostgres(database) ? dataDir : dirname(sqliteFile(database));

/** What the file holds; where there is none, it is made, for its owner alone. */
function readOrMake(file: string): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, newSecrets(), { flag: 'wx', mode: 0o600, flush: true });
  }
  chmodSync(file, 0o600);
  return readFileSync(file, 'utf8');
}

/**
 * The secrets where none are configured: made at the first start and kept beside the database, or kept nowhere for a
 * database in memory.
 * @throws {ConfigError} where the file with them cannot be used
 */
export function developmentSecrets(config: Config): SecretKeys {
  const inMemory = config.database.url === 'sqlite::memory:';
  const file = join(folderOf(config), 'development-secrets.env');
  const read = schema.safeParse(parseEnv(inMemory ? newSecrets() : readOrMake(file)));
  if (read.success) return read.data;
  throw new ConfigError([`${file} is damaged: put it back, or delete it and the database to begin anew`]);
}
