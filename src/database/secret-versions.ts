import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../config/config-error.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { type Db, type PreparedQuery, prepareQuery } from './db.ts';
import { ApiKey, ApiKeySecret, PrivateKey, type Tables, WebhookEndpoint } from './tables.ts';

/**
 * Selects the digests of API keys that may still verify. An inactive key never becomes active again, and a former
 * secret never works again after its grace period: nobody needs the pepper of their digests.
 */
export const digestsInUse = (db: Kysely<Tables>, now: Date) =>
  db
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
    .where('api_key.is_active', '=', sql.lit(true))
    .where(({ eb, or }) =>
      or([eb('api_key_secret.works_until', 'is', null), eb('api_key_secret.works_until', '>', now)]),
    );

const firstInUse = prepareQuery(ApiKeySecret, (db, { version, now }: { version: number; now: Date }) =>
  digestsInUse(db, now).select('api_key_secret.id').where('pepper_version', '=', version).limit(1),
);

/** Finds the least version above another one that a row refers to; null if there is none. An index answers it. */
type NextVersion = PreparedQuery<{ above: number }, { version: number | null }>;

const nextOfDigests: NextVersion = prepareQuery(ApiKeySecret, (db, { above }) =>
  db
    .selectFrom('api_key_secret')
    .select(({ fn }) => fn.min<number | null>('pepper_version').as('version'))
    .where('pepper_version', '>', above),
);

/** The columns that store sealed values, by the purpose of the values. */
export const sealedColumns = {
  'api-key': { entity: ApiKey, table: 'api_key', column: 'encrypted_key' },
  'private-key': { entity: PrivateKey, table: 'private_key', column: 'sealed_key' },
  'webhook-endpoint': { entity: WebhookEndpoint, table: 'webhook_endpoint', column: 'sealed_secrets' },
} as const;

const nextOfSealed = (purpose: keyof typeof sealedColumns): NextVersion => {
  const { entity, table, column } = sealedColumns[purpose];
  return prepareQuery(entity, (db, { above }) =>
    db
      .selectFrom(table)
      .select(({ fn }) => fn.min<number | null>('encryption_version').as('version'))
      .where(column, 'is not', null)
      .where('encryption_version', '>', above),
  );
};

/** The least version of the sealed values of each kind. */
const sealed = [
  { what: 'API keys are sealed', next: nextOfSealed('api-key') },
  { what: 'private keys are sealed', next: nextOfSealed('private-key') },
  { what: 'secrets of webhook endpoints are sealed', next: nextOfSealed('webhook-endpoint') },
];

/** All versions that rows refer to. The number of queries depends on the number of versions, not of rows. */
async function storedVersions(db: Db, next: NextVersion): Promise<number[]> {
  const versions: number[] = [];
  for (;;) {
    const [row] = await next(db, { above: versions.at(-1) ?? 0 });
    if (row?.version == null) return versions;
    versions.push(row.version);
  }
}

/** A kind of stored values that need a version of a secret. */
interface Kind {
  readonly variable: 'KEY_PEPPERS' | 'KEY_ENCRYPTION_KEYS';
  readonly what: string;
  readonly configured: { readonly versions: readonly number[] };
  readonly next: NextVersion;
  /** Whether anybody needs the rows of a version; missing: somebody does. It may look at many rows. */
  readonly isNeeded?: (db: Db, version: number) => Promise<boolean>;
}

const isPepperNeeded = async (db: Db, version: number) =>
  (await firstInUse(db, { version, now: new Date() })).length > 0;

const kindsOf = ({ peppers, sealer }: Secrets): readonly Kind[] => [
  {
    ...{ variable: 'KEY_PEPPERS', what: 'API keys are hashed', configured: peppers, next: nextOfDigests },
    isNeeded: isPepperNeeded,
  },
  ...sealed.map((kind) => ({ variable: 'KEY_ENCRYPTION_KEYS', configured: sealer, ...kind }) as const),
];

/** The versions that somebody needs and the configuration does not have. */
async function missingVersions(db: Db, { configured, next, isNeeded }: Kind): Promise<number[]> {
  const missing: number[] = [];
  for (const version of await storedVersions(db, next)) {
    if (configured.versions.includes(version)) continue;
    if (!isNeeded || (await isNeeded(db, version))) missing.push(version);
  }
  return missing;
}

/**
 * Checks that the configured secrets can read all stored data that anybody needs.
 * @throws {ConfigError} that names each missing variable and version
 */
export async function assertSecretVersions(db: Db, secrets: Secrets): Promise<void> {
  const faults: string[] = [];
  for (const kind of kindsOf(secrets)) {
    const missing = await missingVersions(db, kind);
    const { variable, what } = kind;
    faults.push(...missing.map((version) => `${variable} has no version ${version}, under which ${what}`));
  }
  if (faults.length > 0) throw new ConfigError(faults);
}
