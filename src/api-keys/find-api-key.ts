import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { findAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type AccountKind, ApiKey, type Tables } from '../database/tables.ts';
import { atMostLong } from '../operations/input.ts';
import { operation } from '../operations/operation.ts';
import { digestsOf } from './verify/imported-keys.ts';

/** An API key with its owner. */
export interface FoundApiKey
  extends Pick<
    ApiKey,
    'id' | 'account' | 'keyPrefix' | 'name' | 'isActive' | 'pausedAt' | 'expiresAt' | 'lastUsedAt'
  > {
  readonly issuer: string;
  readonly subject: string;
  readonly kind: AccountKind;
  readonly isBlocked: boolean;
}

/** The most API keys of an answer; a complete beginning belongs to only a few keys. */
export const mostFound = 100;

const selectFound = (db: Kysely<Tables>) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .select(['api_key.id', 'api_key.account_id', 'api_key.key_prefix', 'api_key.name', 'api_key.is_active'])
    .select([
      'api_key.paused_at',
      'api_key.expires_at',
      'api_key.last_used_at',
      'account.issuer',
      'account.subject',
      'account.kind',
    ])
    .select(sql<boolean>`account.blocked_at is not null`.as('isBlocked'))
    .where('account.erased_at', 'is', null)
    .orderBy('api_key.id', 'desc')
    .limit(mostFound);

const selectByPrefix = prepareQuery(ApiKey, (db, { keyPrefix }: Pick<ApiKey, 'keyPrefix'>) =>
  selectFound(db).where('api_key.key_prefix', '=', keyPrefix),
);

const selectByDigest = prepareQuery(ApiKey, (db, { digest }: { readonly digest: Buffer }) =>
  selectFound(db)
    .innerJoin('api_key_secret', 'api_key_secret.api_key_id', 'api_key.id')
    .where('api_key_secret.digest', '=', digest),
);

/**
 * Finds the owner of an API key, for support and for leaked keys. The search takes the whole key, or its beginning,
 * which several keys may share. It does not count as a use of the key.
 * @returns the keys, newest first; empty if no key matches
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const findApiKey = operation(
  z
    .object({ key: atMostLong(z.string(), 1000).nullish(), keyPrefix: atMostLong(z.string(), 100).nullish() })
    .refine(({ key, keyPrefix }) => (key == null) !== (keyPrefix == null), {
      path: ['key'],
      message: 'Give either the key or its prefix, not both.',
    }),
  async (context, { key, keyPrefix }): Promise<FoundApiKey[]> => {
    const { db } = context;
    await findAccount(context);
    const digests = key == null ? [] : digestsOf(context.services, key);
    const found = await Promise.all([
      ...digests.map(({ digest }) => selectByDigest(db, { digest })),
      ...(keyPrefix == null ? [] : [selectByPrefix(db, { keyPrefix })]),
    ]);
    return found.flat();
  },
);
