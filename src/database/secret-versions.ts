import { ConfigError } from '../config/config-error.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { type Db, type PreparedQuery, prepareQuery } from './db.ts';
import { ApiKey, ApiKeySecret, PrivateKey, WebhookEndpoint } from './tables.ts';

/** Finds the least version above another one that a row refers to; null if there is none. An index answers it. */
type NextVersion = PreparedQuery<{ above: number }, { version: number | null }>;

const nextOfDigests: NextVersion = prepareQuery(ApiKeySecret, (db, { above }) =>
  db
    .selectFrom('api_key_secret')
    .select(({ fn }) => fn.min<number | null>('pepper_version').as('version'))
    .where('pepper_version', '>', above),
);

const nextOfApiKeys: NextVersion = prepareQuery(ApiKey, (db, { above }) =>
  db
    .selectFrom('api_key')
    .select(({ fn }) => fn.min<number | null>('encryption_version').as('version'))
    .where('encrypted_key', 'is not', null)
    .where('encryption_version', '>', above),
);

const nextOfPrivateKeys: NextVersion = prepareQuery(PrivateKey, (db, { above }) =>
  db
    .selectFrom('private_key')
    .select(({ fn }) => fn.min<number | null>('encryption_version').as('version'))
    .where('encryption_version', '>', above),
);

const nextOfWebhooks: NextVersion = prepareQuery(WebhookEndpoint, (db, { above }) =>
  db
    .selectFrom('webhook_endpoint')
    .select(({ fn }) => fn.min<number | null>('encryption_version').as('version'))
    .where('encryption_version', '>', above),
);

/** All versions that rows refer to. The number of queries depends on the number of versions, not of rows. */
async function storedVersions(db: Db, next: NextVersion): Promise<number[]> {
  const versions: number[] = [];
  for (;;) {
    const [row] = await next(db, { above: versions.at(-1) ?? 0 });
    if (row?.version == null) return versions;
    versions.push(row.version);
  }
}

/**
 * Checks that the configured secrets can read all stored data.
 * @throws {ConfigError} that names each missing variable and version
 */
export async function assertSecretVersions(db: Db, { peppers, sealer }: Secrets): Promise<void> {
  const kinds = [
    { variable: 'KEY_PEPPERS', what: 'API keys are hashed', configured: peppers, next: nextOfDigests },
    { variable: 'KEY_ENCRYPTION_KEYS', what: 'API keys are sealed', configured: sealer, next: nextOfApiKeys },
    {
      variable: 'KEY_ENCRYPTION_KEYS',
      what: 'private keys are sealed',
      configured: sealer,
      next: nextOfPrivateKeys,
    },
    {
      variable: 'KEY_ENCRYPTION_KEYS',
      what: 'secrets of webhook endpoints are sealed',
      configured: sealer,
      next: nextOfWebhooks,
    },
  ];
  const faults: string[] = [];
  for (const { variable, what, configured, next } of kinds) {
    const stored = await storedVersions(db, next);
    const missing = stored.filter((version) => !configured.versions.includes(version));
    faults.push(...missing.map((version) => `${variable} has no version ${version}, under which ${what}`));
  }
  if (faults.length > 0) throw new ConfigError(faults);
}
