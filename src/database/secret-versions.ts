import { ConfigError } from '../config/config-error.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { type Db, type PreparedQuery, prepareQuery } from './db.ts';
import { ApiKey, ApiKeySecret, PrivateKey, WebhookEndpoint } from './tables.ts';

/** The least version above another that rows refer to; null where there is none. An index has it. */
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

/** The versions that rows refer to: as many look-ups as there are versions, however many rows there are. */
async function storedVersions(db: Db, next: NextVersion): Promise<number[]> {
  const versions: number[] = [];
  for (;;) {
    const [row] = await next(db, { above: versions.at(-1) ?? 0 });
    if (row?.version == null) return versions;
    versions.push(row.version);
  }
}

/**
 * Makes sure that everything stored can be read with the secrets that are configured.
 * @throws {ConfigError} that names each variable and version that is missing
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
