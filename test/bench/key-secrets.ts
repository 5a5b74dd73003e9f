import { loadConfig } from '../../src/config/load-config.ts';
import { openDatabase } from '../../src/database/database.ts';
import type { SecretKeys } from '../../src/secrets/secret-keys.ts';
import { createSecrets, type Secrets } from '../../src/secrets/secrets.ts';
import { secretOfSamePrefix } from '../support/api-key-secrets.ts';

/** Secrets of API keys, each of a key of its own. */
export interface KeySecrets {
  readonly valid: readonly string[];
  /** By why they let nobody in. */
  readonly refused: Readonly<Record<'inactive' | 'expired' | 'rotated', string>>;
}

/** The prefix that `createDatabase` gives a key. */
const prefixOf = (id: number) => `sk-${String(1_000_000 + id - 1).slice(1)}`;

/** A new secret of a key. */
const secretOf = (id: number) => secretOfSamePrefix(prefixOf(id));

/** The server's secrets behind its variables. */
export const readSecrets = (variables: Readonly<Record<string, string>>): Secrets =>
  createSecrets(loadConfig(variables).secrets as SecretKeys);

/** Makes secrets for the first keys of a database. */
export function createKeySecrets(count: number): KeySecrets {
  const valid = Array.from({ length: count }, (_, index) => secretOf(index + 1));
  const [inactive, expired, rotated] = [1, 2, 3].map((place) => secretOf(count + place)) as [
    string,
    string,
    string,
  ];
  return { valid, refused: { inactive, expired, rotated } };
}

/**
 * Stores secrets in a database that has keys for them.
 * @param secrets the servers' own: digests are under their pepper
 */
export async function storeKeySecrets(
  url: string,
  { valid, refused }: KeySecrets,
  { peppers }: Secrets,
): Promise<void> {
  const { database: config } = loadConfig({ DATABASE_URL: url });
  await using database = await openDatabase(config);
  const execute = (sql: string, values: readonly unknown[]) =>
    database.em.getConnection().execute(sql, [...values]);
  const past = new Date(Date.now() - 60_000);
  const [inactive, expired, rotated] = [1, 2, 3].map((place) => valid.length + place);
  const secrets = [...valid, refused.inactive, refused.expired, refused.rotated];
  const rows = secrets.map((secret, index) => {
    const { digest, version } = peppers.digest(secret);
    return [index + 1, digest, version, index + 1 === rotated ? past : null];
  });
  await execute(
    `insert into api_key_secret (api_key_id, digest, pepper_version, works_until)
     values ${rows.map(() => '(?, ?, ?, ?)').join(', ')}`,
    rows.flat(),
  );
  await execute('update api_key set is_active = false, deactivated_at = ? where id = ?', [past, inactive]);
  await execute('update api_key set expires_at = ? where id = ?', [past, expired]);
}
