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
import { lockApiKey, returnedQuota, unusable } from './own-api-key.ts';

/** The longest grace, in seconds: 7 days. */
export const longestGrace = 604_800;

/** The most secrets of a key that work at a time, the current one included. */
export const mostSecrets = 4;

type Rotation = Pick<
  ApiKey,
  'id' | 'account' | 'keyPrefix' | 'encryptedKey' | 'encryptionVersion' | 'previousWorksUntil'
> & { readonly now: Date };

const storeRotation = prepareQuery(
  ApiKey,
  (db, { id, account, keyPrefix, encryptedKey, encryptionVersion, previousWorksUntil, now }: Rotation) =>
    db
      .updateTable('api_key')
      .set({
        key_prefix: keyPrefix,
        encrypted_key: encryptedKey,
        encryption_version: encryptionVersion,
        // A secret may have ended before its grace did, as one too many.
        previous_works_until: ({ selectFrom, fn, val }) =>
          fn.coalesce(
            selectFrom('api_key_secret')
              .where('api_key_id', '=', id)
              .where('works_until', '>', now)
              .select((each) => each.fn.max('works_until').as('last')),
            val(previousWorksUntil),
          ),
      })
      .where('id', '=', id)
      .where('account_id', '=', account)
      .where('is_active', '=', true)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .returningAll()
      .returning(returnedQuota),
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

/** The time after a rotation at which the last older secret ends; null: there never was a grace. */
function lastEnd({ previousWorksUntil }: ApiKey, now: Date, graceEnd: Date | null): Date | null {
  const earlier = previousWorksUntil ?? null;
  if (graceEnd === null) return earlier && earlier > now ? now : earlier;
  return earlier && earlier > graceEnd ? earlier : graceEnd;
}

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
      const owned = { id: keyId, account: before.account, keyPrefix: keyPrefixOf(key) };
      const sealed = await sealSecret(inner.services, owned, key);
      const now = new Date();
      const graceEnd = endOfGrace(before, now, graceSeconds ?? 0);
      const previousWorksUntil = lastEnd(before, now, graceEnd);
      await retireSecrets(inner.db, before, now, graceEnd);
      const [row] = await storeRotation(inner.db, { ...owned, ...sealed, previousWorksUntil, now });
      if (!row) throw unusable(before);
      await storeSecret(inner, { id: keyId, secret: key, createdAt: now });
      const changes = changesOf(inTrail(before), inTrail(row));
      inner.events('api-key-rotated', { accountId: before.account, keyId }, changes);
      return { ...row, key };
    });
  },
);
