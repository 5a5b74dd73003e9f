import { z } from 'zod';
import { type Db, prepareQuery } from '../database/db.ts';
import { ApiKey, ApiKeySecret } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import { changesOf } from '../operations/changes.ts';
import { within } from '../operations/input.ts';
import { operation } from '../operations/operation.ts';
import {
  createApiKeySecret,
  keyPrefixOf,
  type NewApiKey,
  sealSecret,
  storeSecret,
} from './api-key-secret.ts';
import { isUsable, lastEnd, lockApiKey, returnedOthers, unusable } from './own-api-key.ts';

/** The longest grace, in seconds: 7 days. */
export const longestGrace = 604_800;

/** The most secrets of a key that work at a time, the current one included. */
export const mostSecrets = 4;

type Rotation = Pick<ApiKey, 'id' | 'keyPrefix' | 'encryptedKey' | 'encryptionVersion'> & {
  readonly earlierEnd: Date | null;
  readonly now: Date;
};

const storeRotation = prepareQuery(
  ApiKey,
  (db, { id, keyPrefix, encryptedKey, encryptionVersion, earlierEnd, now }: Rotation) =>
    db
      .updateTable('api_key')
      .set({
        key_prefix: keyPrefix,
        encrypted_key: encryptedKey,
        encryption_version: encryptionVersion,
        // A secret may have ended before its grace did, as one too many.
        previous_works_until: (key) =>
          key.fn.coalesce(lastEnd(key).where('works_until', '>', now), key.val(earlierEnd)),
      })
      .where('id', '=', id)
      .returningAll()
      .returning(returnedOthers),
);

type Retirement = Pick<ApiKey, 'id' | 'keyPrefix'> & { readonly end: Date };

const endCurrentSecret = prepareQuery(ApiKeySecret, (db, { id, keyPrefix, end }: Retirement) =>
  db
    .updateTable('api_key_secret')
    .set({ works_until: end, key_prefix: keyPrefix })
    .where('api_key_id', '=', id)
    .where('works_until', 'is', null),
);

const endAllSecrets = prepareQuery(ApiKeySecret, (db, { id, now }: { id: number; now: Date }) =>
  db
    .updateTable('api_key_secret')
    .set({ works_until: now })
    .where('api_key_id', '=', id)
    .where(({ eb, or }) => or([eb('works_until', 'is', null), eb('works_until', '>', now)])),
);

// Without a bound, each rotation with a grace would add a secret, and ending them all would hold up everybody.
const endOldestSecrets = prepareQuery(ApiKeySecret, (db, { id, now }: { id: number; now: Date }) => {
  const former = db.selectFrom('api_key_secret').where('api_key_id', '=', id).where('works_until', '>', now);
  return db
    .updateTable('api_key_secret')
    .set({ works_until: now })
    .where('api_key_id', '=', id)
    .where('works_until', '>', now)
    .where(
      'id',
      'not in',
      former
        .select('id')
        .orderBy('id', 'desc')
        .limit(mostSecrets - 1),
    );
});

// Imported secrets stay, because a repeated import recognises them.
const deleteEndedSecrets = prepareQuery(ApiKeySecret, (db, { id, now }: { id: number; now: Date }) =>
  db
    .deleteFrom('api_key_secret')
    .where('api_key_id', '=', id)
    .where('works_until', '<=', now)
    .where('is_imported', '=', false),
);

/**
 * The end of the current secret's grace, at the latest the expiry of its key; null: no older secret works any more.
 */
function endOfGrace({ expiresAt }: ApiKey, now: Date, graceSeconds: number): Date | null {
  if (graceSeconds === 0) return null;
  const end = now.getTime() + graceSeconds * 1000;
  return new Date(Math.min(end, expiresAt?.getTime() ?? end));
}

/** The end of the last older secret, if none works any more; null: there never was a grace. */
const endBy = (now: Date, { previousWorksUntil: end = null }: ApiKey): Date | null =>
  end && end > now ? now : end;

const inTrail = ({ keyPrefix, previousWorksUntil }: ApiKey) => ({
  key_prefix: keyPrefix,
  previous_works_until: previousWorksUntil,
});

/**
 * Lets the current secret work until the end of its grace, and ends the oldest of too many. Without a grace, all older
 * secrets end at once.
 */
async function retireSecrets(
  db: Db,
  { id, keyPrefix }: ApiKey,
  now: Date,
  graceEnd: Date | null,
): Promise<void> {
  if (graceEnd === null) {
    await endAllSecrets(db, { id, now });
  } else {
    await endCurrentSecret(db, { id, keyPrefix, end: graceEnd });
    await endOldestSecrets(db, { id, now });
  }
  await deleteEndedSecrets(db, { id, now });
}

/**
 * Gives one of the caller's API keys a new secret. With a grace, the secret before it works for `graceSeconds` more,
 * and older secrets keep their own ends; if more than {@link mostSecrets} work, the oldest ends at once. Without a
 * grace, only the new secret works from now on.
 * @returns the key with its new secret; no other operation ever shows the secret
 * @throws {GatewayError} `BAD_USER_INPUT`; `CONFLICT` for an inactive or expired key; `NOT_FOUND`, the same for an
 *   unknown key and another person's key
 */
export const rotateApiKey = operation(
  z.object({
    keyId: z.int32(),
    graceSeconds: within(z.int(), 0, longestGrace, 'seconds').nullish(),
  }),
  async (context, { keyId, graceSeconds }): Promise<NewApiKey> => {
    const key = createApiKeySecret(context.services.settings.apiKeyPrefix);
    return audited(context, async (inner) => {
      const before = await lockApiKey(inner, keyId);
      const now = new Date();
      if (!isUsable(before, now)) throw unusable(before);
      const owned = { id: keyId, account: before.account, keyPrefix: keyPrefixOf(key) };
      const sealed = await sealSecret(inner.services, owned, key);
      await retireSecrets(inner.db, before, now, endOfGrace(before, now, graceSeconds ?? 0));
      const rotation = { ...owned, ...sealed, earlierEnd: endBy(now, before), now };
      const [row] = await storeRotation(inner.db, rotation);
      if (!row) throw new Error('A locked key is gone');
      await storeSecret(inner, { id: keyId, secret: key, createdAt: now });
      const changes = changesOf(inTrail(before), inTrail(row));
      inner.events('api-key-rotated', { accountId: before.account, keyId }, changes);
      return { ...row, key };
    });
  },
);
