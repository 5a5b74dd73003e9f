import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { prepareQuery } from '../database/prepare-query.ts';
import { type AccountId, ApiKey } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { isApiKeySecret } from './api-key-secret.ts';

/** Why a secret lets nobody in. What is unknown, malformed or wrong is all the same. */
export type VerificationFailure = 'not_found' | 'inactive' | 'expired' | 'rotated';

/** What a provider learns of a secret; of one that is not found, nothing. */
export interface ApiKeyVerification {
  readonly valid: boolean;
  readonly reason: VerificationFailure | null;
  readonly keyId: number | null;
  readonly userId: AccountId | null;
  readonly expiresAt: Date | null;
  readonly name: string | null;
}

const notFound: ApiKeyVerification = {
  valid: false,
  reason: 'not_found',
  keyId: null,
  userId: null,
  expiresAt: null,
  name: null,
};

interface Lookup {
  readonly now: Date;
  /** The digests, by their place. */
  readonly [place: number]: Buffer;
}

const prepareLookup = (peppers: number) =>
  prepareQuery(ApiKey, (db, values: Lookup) =>
    db
      .selectFrom('api_key_secret')
      .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
      .where(
        'api_key_secret.digest',
        'in',
        Array.from({ length: peppers }, (_, place) => values[place] as Buffer),
      )
      .select(['api_key.id', 'api_key.account_id', 'api_key.name', 'api_key.is_active', 'api_key.expires_at'])
      // No property of the key's, so nothing would make a date of it on SQLite: the database compares it.
      .select(sql<unknown>`api_key_secret.works_until <= ${values.now}`.as('rotated'))
      .select('api_key_secret.digest'),
  );

const lookups = new Map<number, ReturnType<typeof prepareLookup>>();

/** The look-up for a number of peppers, by the unique index of digests. */
const lookupFor = (peppers: number) => {
  const lookup = lookups.get(peppers) ?? prepareLookup(peppers);
  lookups.set(peppers, lookup);
  return lookup;
};

/**
 * Verifies the secret of an API key, now: nothing is remembered, so a key that was revoked is refused from then on,
 * on every node. Nothing is written; a use is noted. A text that cannot be a secret costs the same digests and no
 * look-up.
 */
export async function verifySecret(
  { db, secrets, keyUsage }: Pick<OperationContext, 'db' | 'secrets' | 'keyUsage'>,
  secret: string,
): Promise<ApiKeyVerification> {
  const digests = secrets.peppers.digests(secret).map(({ digest }) => digest);
  if (!isApiKeySecret(secret)) return notFound;
  const now = new Date();
  const [found] = await lookupFor(digests.length)(db, { ...digests, now });
  if (!found || !digests.some((digest) => timingSafeEqual(digest, found.digest))) return notFound;
  const { id, account, name, expiresAt } = found;
  const reason = failureOf(found, now);
  keyUsage.note(id, now, reason ?? 'valid');
  return { valid: reason === null, reason, keyId: id, userId: account, expiresAt, name };
}

/** What ends a key goes before what ends one of its secrets. */
const failureOf = (
  { isActive, expiresAt, rotated }: Pick<ApiKey, 'isActive' | 'expiresAt'> & { rotated: unknown },
  now: Date,
): VerificationFailure | null => {
  if (!isActive) return 'inactive';
  if (expiresAt && expiresAt <= now) return 'expired';
  return rotated ? 'rotated' : null;
};
