import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { isApiKeySecret } from './api-key-secret.ts';
import { hasAll, isAllowedFrom } from './grants.ts';
import { importedDigests, sha256Of } from './imported-keys.ts';
import { type KeyLimits, type LimitContext, seeLimits, type Use, useLimits } from './key-limits.ts';
import { isPeriodOverIn } from './quota-periods.ts';

/**
 * Why a secret lets nobody in, in the order in which it is looked for. What is unknown, malformed or wrong is all the
 * same.
 */
export type VerificationFailure =
  | 'not_found'
  | 'inactive'
  | 'expired'
  | 'rotated'
  | 'account_blocked'
  | 'address_not_allowed'
  | 'insufficient_permissions'
  | 'rate_limited'
  | 'quota_exceeded';

/** What is asked of a secret. */
export interface VerificationQuestion {
  /** As a client sent it, whatever that is. */
  readonly secret: string;
  /** What its bearer wants to do: the key must have all of them. */
  readonly permissions: readonly string[];
  /** How many units of the key's quota it uses; 0: it asks, and uses none of them. */
  readonly cost: number;
  /** The client's IP address; null where it is not known. */
  readonly address: string | null;
  /**
   * Told of the key where nothing else refuses it, before its own limits are used.
   * @throws where it may not be used now
   */
  readonly admit?: (keyId: number) => void;
}

interface Lookup {
  readonly now: Date;
  /** The digests, by their place. */
  readonly [place: number]: Buffer;
}

const prepareLookup = (count: number) =>
  prepareQuery(ApiKey, (db, values: Lookup) =>
    db
      .selectFrom('api_key_secret')
      .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .leftJoin('api_key_quota', 'api_key_quota.api_key_id', 'api_key.id')
      .leftJoin('automation_settings', 'automation_settings.account_id', 'api_key.account_id')
      .where(
        'api_key_secret.digest',
        'in',
        Array.from({ length: count }, (_, place) => values[place] as Buffer),
      )
      .select(['api_key.id', 'api_key.account_id', 'api_key.name', 'api_key.is_active', 'api_key.expires_at'])
      .select(['api_key.permissions', 'api_key.metadata', 'api_key.allowed_addresses'])
      .select(['api_key.rate_limit', 'api_key.rate_limit_window'])
      // No properties of the key's, so nothing would make dates and booleans of them on SQLite.
      .select(sql<unknown>`api_key_secret.works_until <= ${values.now}`.as('rotated'))
      .select(sql<unknown>`account.blocked_at is not null`.as('blocked'))
      .select(sql<unknown>`${isPeriodOverIn(db, values.now)}`.as('quotaOver'))
      .select([
        'api_key_quota.units as quotaUnits',
        'api_key_quota.refill as quotaRefill',
        'api_key_quota.taken as quotaTaken',
        'api_key_quota.generation as quotaGeneration',
      ])
      .select([
        'automation_settings.is_enabled as automationEnabled',
        'automation_settings.is_enabled_cleared as automationEnabledCleared',
        'automation_settings.session_duration as sessionDuration',
        'automation_settings.session_duration_cleared as sessionDurationCleared',
      ])
      .select('api_key_secret.digest'),
  );

const lookups = new Map<number, ReturnType<typeof prepareLookup>>();

/** The look-up for a number of digests, by their unique index. */
const lookupFor = (count: number) => {
  const lookup = lookups.get(count) ?? prepareLookup(count);
  lookups.set(count, lookup);
  return lookup;
};

/** What is stored of a key whose secret was found, and of its owner's settings. */
export type FoundKey = Awaited<ReturnType<ReturnType<typeof prepareLookup>>>[number];

/** What a question came to. */
export interface Verification {
  /** Null where the secret lets its bearer in. */
  readonly reason: VerificationFailure | null;
  /** Undefined where the secret is not found. */
  readonly found: FoundKey | undefined;
  /** What is left of the key's own limits. */
  readonly limits: KeyLimits;
}

/** What verifications need of an operation's context. */
export type VerificationContext = Pick<OperationContext, 'secrets' | 'keyUsage' | 'importedKeys'> &
  LimitContext;

const notFound: Verification = {
  reason: 'not_found',
  found: undefined,
  limits: { rate: null, quota: null },
};

/**
 * Verifies the secret of an API key, now: nothing is remembered, so a key that was revoked is refused from then on,
 * on every node. Nothing is written but units of a quota that are taken for many uses; what it came to is noted. A text
 * that cannot be a secret costs the same digests and no look-up; one that looks like those that were brought here from
 * elsewhere costs the digests of such a secret as well, and one look-up for all.
 */
export async function verifySecret(
  context: VerificationContext,
  question: VerificationQuestion,
): Promise<Verification> {
  const now = new Date();
  const askedAt = performance.now();
  const found = await findKey(context, question.secret, now);
  if (!found) return notFound;
  const use = { askedAt, now, cost: question.cost };
  const verified = await verifyFound(context, found, question, use);
  context.keyUsage.note(found.id, now, verified.reason ?? 'valid');
  return verified;
}

/** What is refused for an earlier reason uses none of its limits. */
async function verifyFound(
  context: VerificationContext,
  found: FoundKey,
  question: VerificationQuestion,
  use: Use,
): Promise<Verification> {
  const reason = failureOf(found, use.now) ?? refusalOf(found, question);
  if (reason !== null) return { reason, found, limits: seeLimits(context, found, use) };
  question.admit?.(found.id);
  const { refusal, ...limits } = await useLimits(context, found, use);
  return { reason: refusal, found, limits };
}

/** The same for a key that asks about itself: it uses nothing, and nothing is noted. */
export async function checkSecret(
  context: LookupContext,
  question: Pick<VerificationQuestion, 'secret' | 'permissions' | 'address'>,
  now: Date,
): Promise<Omit<Verification, 'limits'>> {
  const found = await findKey(context, question.secret, now);
  return found ? { reason: failureOf(found, now) ?? refusalOf(found, question), found } : notFound;
}

type LookupContext = Pick<VerificationContext, 'db' | 'secrets' | 'importedKeys'>;

async function findKey(
  { db, secrets: { peppers }, importedKeys }: LookupContext,
  secret: string,
  now: Date,
): Promise<FoundKey | undefined> {
  const own = peppers.digests(secret);
  const mayBeImported = importedKeys.mayHave(secret);
  if (!mayBeImported && !isApiKeySecret(secret)) return undefined;
  const all = mayBeImported ? [...own, ...importedDigests(peppers, sha256Of(secret))] : own;
  const values: { now: Date; [place: number]: Buffer } = { now };
  all.forEach(({ digest }, place) => {
    values[place] = digest;
  });
  const rows = await lookupFor(all.length)(db, values);
  // Of a key that was made here, and brought here as well, the first counts.
  for (const { digest } of all) {
    const found = rows.find((row) => timingSafeEqual(digest, row.digest));
    if (found) return found;
  }
  return undefined;
}

/** What ends a key goes before what ends one of its secrets, and before what may pass. */
const failureOf = (
  { isActive, expiresAt, rotated, blocked }: FoundKey,
  now: Date,
): VerificationFailure | null => {
  if (!isActive) return 'inactive';
  if (expiresAt && expiresAt <= now) return 'expired';
  if (rotated) return 'rotated';
  return blocked ? 'account_blocked' : null;
};

/** Why a key that is good is not good for this. */
const refusalOf = (
  { allowedAddresses, permissions }: FoundKey,
  question: Pick<VerificationQuestion, 'permissions' | 'address'>,
): VerificationFailure | null => {
  if (!isAllowedFrom(allowedAddresses, question.address)) return 'address_not_allowed';
  return hasAll(permissions, question.permissions) ? null : 'insufficient_permissions';
};
