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
 * The reasons for refusing a secret, in the order of the checks. An unknown, malformed or wrong secret gives the same
 * reason.
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

/** A question about a secret. */
export interface VerificationQuestion {
  /** The secret as a client sent it: any text. */
  readonly secret: string;
  /** The requested permissions; the key must have all of them. */
  readonly permissions: readonly string[];
  /** The units of the key's quota that the use costs; 0: a question that uses none. */
  readonly cost: number;
  /** The client's IP address; null if unknown. */
  readonly address: string | null;
  /**
   * Called for a key that passed all other checks, before its own limits are used.
   * @throws if the key may not be used now
   */
  readonly admit?: (keyId: number) => void;
}

interface Lookup {
  readonly now: Date;
  /** The digests, by index. */
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
      // These columns are no properties of the API key entity, so nothing would convert dates and booleans on SQLite.
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

/** Prepares the look-up of this number of digests, which uses their unique index. */
const lookupFor = (count: number) => {
  const lookup = lookups.get(count) ?? prepareLookup(count);
  lookups.set(count, lookup);
  return lookup;
};

/** The stored API key of a found secret, with its owner's settings. */
export type FoundKey = Awaited<ReturnType<ReturnType<typeof prepareLookup>>>[number];

/** The result of a verification. */
export interface Verification {
  /** The reason of the refusal; null if the secret is accepted. */
  readonly reason: VerificationFailure | null;
  /** The API key; undefined if the secret is unknown. */
  readonly found: FoundKey | undefined;
  /** The rest of the key's own limits. */
  readonly limits: KeyLimits;
}

/** The part of an operation's context that verifications use. */
export type VerificationContext = Pick<OperationContext, 'secrets' | 'keyUsage' | 'importedKeys'> &
  LimitContext;

const notFound: Verification = {
  reason: 'not_found',
  found: undefined,
  limits: { rate: null, quota: null },
};

/**
 * Verifies the secret of an API key against the database. Nothing is cached, so every node refuses a revoked key at
 * once. A verification writes nothing, except for a lease of quota units, which lasts for many uses; it counts the
 * outcome.
 *
 * A text that cannot be a secret costs the same digests, but no look-up. A text that looks like an imported secret
 * costs that secret's digests as well, and a single look-up for all.
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

/** A use that is refused for an earlier reason takes nothing from the key's limits. */
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

/** Verifies the secret for a key that asks about itself. This uses no limits and counts nothing. */
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
  // If a key was made here and imported as well, the key that was made here comes first.
  for (const { digest } of all) {
    const found = rows.find((row) => timingSafeEqual(digest, row.digest));
    if (found) return found;
  }
  return undefined;
}

/**
 * Finds the reason of a refusal. The end of the key comes before the end of its secret, and both come before the
 * checks of the use.
 */
const failureOf = (
  { isActive, expiresAt, rotated, blocked }: FoundKey,
  now: Date,
): VerificationFailure | null => {
  if (!isActive) return 'inactive';
  if (expiresAt && expiresAt <= now) return 'expired';
  if (rotated) return 'rotated';
  return blocked ? 'account_blocked' : null;
};

/** The reason for refusing this use of a good key. */
const refusalOf = (
  { allowedAddresses, permissions }: FoundKey,
  question: Pick<VerificationQuestion, 'permissions' | 'address'>,
): VerificationFailure | null => {
  if (!isAllowedFrom(allowedAddresses, question.address)) return 'address_not_allowed';
  return hasAll(permissions, question.permissions) ? null : 'insufficient_permissions';
};
