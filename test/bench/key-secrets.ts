import { loadConfig } from '../../src/config/load-config.ts';
import { openDatabase } from '../../src/database/database.ts';
import type { SecretKeys } from '../../src/secrets/secret-list.ts';
import { createSecrets, type Secrets } from '../../src/secrets/secrets.ts';
import { secretOfSamePrefix } from '../support/api-key-secrets.ts';

/** Secrets of API keys, each of a key of its own. */
export interface KeySecrets {
  readonly valid: readonly string[];
  /** Of keys with permissions, metadata, addresses, a rate limit and a quota: enough of each for any load from here. */
  readonly ruled: readonly string[];
  /** By why they let nobody in. */
  readonly refused: Readonly<Record<'inactive' | 'expired' | 'rotated', string>>;
}

/** How many keys let nobody in. */
export const refusedKeys = 3;

/** The prefix that `createDatabase` gives a key. */
const prefixOf = (id: number) => `sk-${String(1_000_000 + id - 1).slice(1)}`;

/** A new secret of a key. */
const secretOf = (id: number) => secretOfSamePrefix(prefixOf(id));

/** The server's secrets behind its variables. */
export const readSecrets = (variables: Readonly<Record<string, string>>): Secrets =>
  createSecrets(loadConfig(variables).secrets as SecretKeys);

/**
 * Makes secrets for the first keys of a database.
 * @param count how many are valid
 * @param ruledCount how many more have rules
 */
export function createKeySecrets(count: number, ruledCount = count): KeySecrets {
  const valid = Array.from({ length: count }, (_, index) => secretOf(index + 1));
  const [inactive, expired, rotated] = [1, 2, 3].map((place) => secretOf(count + place)) as [
    string,
    string,
    string,
  ];
  const ruled = Array.from({ length: ruledCount }, (_, index) => secretOf(count + refusedKeys + 1 + index));
  return { valid, ruled, refused: { inactive, expired, rotated } };
}

/** What a ruled key may do, as it is stored. */
const rules = {
  permissions: JSON.stringify(['invoices.read', 'invoices.write', 'documents.*']),
  metadata: JSON.stringify({ team: 'search', seats: 12, region: 'eu-west' }),
  allowed_addresses: JSON.stringify(['192.0.2.0/24', '2001:db8::/32', '127.0.0.1']),
  rate_limit: 1_000_000,
  rate_limit_window: 1,
};

/** The most rows of a statement: SQLite takes 32,766 values. */
const mostTogether = 8000;

/**
 * Stores secrets in a database that has keys for them.
 * @param secrets the servers' own: digests are under their pepper
 */
export async function storeKeySecrets(
  url: string,
  { valid, ruled, refused }: KeySecrets,
  { peppers }: Secrets,
): Promise<void> {
  const { database: config } = loadConfig({ DATABASE_URL: url });
  await using database = await openDatabase(config);
  const execute = (sql: string, values: readonly unknown[]) =>
    database.em.getConnection().execute(sql, [...values]);
  const past = new Date(Date.now() - 60_000);
  const [inactive, expired, rotated] = [1, 2, 3].map((place) => valid.length + place);
  const secrets = [...valid, refused.inactive, refused.expired, refused.rotated, ...ruled];
  const rows = secrets.map((secret, index) => {
    const { digest, version } = peppers.digest(secret);
    return [index + 1, digest, version, index + 1 === rotated ? past : null];
  });
  for (let start = 0; start < rows.length; start += mostTogether) {
    const some = rows.slice(start, start + mostTogether);
    await execute(
      `insert into api_key_secret (api_key_id, digest, pepper_version, works_until)
       values ${some.map(() => '(?, ?, ?, ?)').join(', ')}`,
      some.flat(),
    );
  }
  await execute('update api_key set is_active = false, deactivated_at = ? where id = ?', [past, inactive]);
  await execute('update api_key set expires_at = ? where id = ?', [past, expired]);
  const first = valid.length + refusedKeys + 1;
  const range = [first, first + ruled.length - 1];
  const names = Object.keys(rules).map((name) => `${name} = ?`);
  await execute(`update api_key set ${names.join(', ')} where id between ? and ?`, [
    ...Object.values(rules),
    ...range,
  ]);
  const tomorrow = new Date(new Date().setUTCHours(24, 0, 0, 0));
  await execute(
    `insert into api_key_quota (api_key_id, units, refill, taken, refills_at, generation)
     select id, 1000000000, 'daily', 0, ?, 1 from api_key where id between ? and ?`,
    [tomorrow, ...range],
  );
}
