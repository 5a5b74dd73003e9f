import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { type Db, prepareQuery } from '../../database/db.ts';
import { itemsOf, type ManyValues, prepareForMany, shareReads } from '../../database/shared-read.ts';
import { ApiKey } from '../../database/tables.ts';
import type { DoorGrace, ImportedKeys, OperationContext } from '../../operations/context.ts';
import { type Entitlement, entitlementOf } from '../../plans/entitlement-of.ts';
import { isPeriodOver, isPeriodOverIn } from '../../quotas/quota-periods.ts';
import type { PepperedDigest } from '../../secrets/peppers.ts';
import { isApiKeySecret } from '../api-key-secret.ts';
import { quotaColumns } from '../own-api-key.ts';
import type { RememberedKeys } from './door-grace.ts';
import { hasAll, isAllowedFrom } from './grants.ts';
import { digestsOf } from './imported-keys.ts';
import { keptColumns } from './kept-record.ts';
import { type KeyLimits, noLimits, seeKeyLimits, useLimits } from './key-limits.ts';
import { rememberKeys } from './remembered-keys.ts';

/**
 * The reasons for refusing a secret, in the order of the checks. An unknown, malformed or wrong secret gives the same
 * reason.
 */
export const verificationFailures = [
  'not_found',
  'inactive',
  'expired',
  'rotated',
  'paused',
  'account_blocked',
  'address_not_allowed',
  'insufficient_permissions',
  'rate_limited',
  'account_rate_limited',
  'quota_exceeded',
  'account_quota_exceeded',
] as const;

/** One of {@link verificationFailures}. */
export type VerificationFailure = (typeof verificationFailures)[number];

/** Whether a reason says that the secret of no working key was sent, so that it may have been a guess. */
export const isWrongKey = (reason: VerificationFailure | null): boolean =>
  reason !== null && wrongKeys.includes(reason);

const wrongKeys: readonly VerificationFailure[] = ['not_found', 'inactive', 'expired', 'rotated', 'paused'];

/** The secret to verify, and what it is wanted for. */
export interface VerificationRequest {
  /** The secret as a client sent it: any text. */
  readonly secret: string;
  /** The requested permissions; the key must have all of them. */
  readonly permissions: readonly string[];
  /** The units of the key's quota that the use costs; 0: nothing is used. */
  readonly cost: number;
  /** The client's IP address; null if unknown. */
  readonly address: string | null;
  /**
   * Called for a key that passed all other checks, before its own limits are used.
   * @throws if the key may not be used now
   */
  readonly admit?: (keyId: number) => void;
}

type Lookup = ManyValues<Buffer, { readonly now: Date }>;

/**
 * Prepares a look-up. It finds no key of an erased account, whose rows are removed a little later.
 * @param isWhole whether it also reads the rest of the key's record ({@link keptColumns})
 */
const prepareLookup = (isWhole: boolean) => (count: number) =>
  prepareQuery(ApiKey, (db, values: Lookup) =>
    db
      .selectFrom('api_key_secret')
      .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .leftJoin('api_key_quota', 'api_key_quota.api_key_id', 'api_key.id')
      .leftJoin('account_quota', 'account_quota.account_id', 'api_key.account_id')
      .leftJoin('automation_settings', 'automation_settings.account_id', 'api_key.account_id')
      .where('api_key_secret.digest', 'in', itemsOf(values, count))
      .where('account.erased_at', 'is', null)
      .select(['api_key.id', 'api_key.account_id', 'api_key.name', 'api_key.is_active', 'api_key.expires_at'])
      .select(['api_key.paused_at', 'api_key.created_at'])
      .select(['api_key.permissions', 'api_key.metadata', 'api_key.allowed_addresses'])
      .select(['api_key.rate_limit', 'api_key.rate_limit_window', 'account.plan', 'account.overrides'])
      .select(['account.kind as ownerKind', 'account.subject', 'account.issuer'])
      .select('api_key_secret.works_until as worksUntil')
      .select(sql<boolean>`account.blocked_at is not null`.as('blocked'))
      .select(sql<boolean | null>`${isPeriodOverIn(db, values.now)}`.as('quotaOver'))
      .select(quotaColumns)
      .select(sql<boolean | null>`${isPeriodOverIn(db, values.now, 'account_quota')}`.as('sharedOver'))
      .select([
        'account_quota.refill as sharedRefill',
        'account_quota.taken as sharedTaken',
        'account_quota.generation as sharedGeneration',
        // Checked alone: a value that is no time must not begin a period.
        'account_quota.refills_at as sharedRefillsAt',
      ])
      .select([
        'automation_settings.is_enabled as automationEnabled',
        'automation_settings.is_enabled_cleared as automationEnabledCleared',
        'automation_settings.session_duration as sessionDuration',
        'automation_settings.session_duration_cleared as sessionDurationCleared',
      ])
      .select(['api_key_secret.digest', 'api_key_secret.id as secretId'])
      .$if(isWhole, (query) => query.select(keptColumns(db).as('kept'))),
  );

/** Looks up the keys of these digests, with their unique index, in one statement. */
const createLookUp = (isWhole: boolean) =>
  prepareForMany(prepareLookup(isWhole), () => ({ now: new Date() }));

const lookUp = createLookUp(false);
const lookUpWhole = createLookUp(true);

/** The most digests of a statement that looks up keys for all who ask in the same turn of the event loop. */
const mostTogether = 64;

/** The stored API key of a found secret, with its owner's settings. */
export type FoundKey = Awaited<ReturnType<typeof lookUp>>[number] & {
  /** When the database last said so, by `performance.now()`; undefined if it says so now. */
  readonly staleSince?: number;
};

/** The result of a verification. */
export interface Verification {
  /** The reason of the refusal; null if the secret is accepted. */
  readonly reason: VerificationFailure | null;
  /** The API key; undefined if the secret is unknown. */
  readonly found: FoundKey | undefined;
  /** What the provider grants the key's account; undefined if the secret is unknown. */
  readonly entitlement: Entitlement | undefined;
  /** The rest of the key's limits, and of its account's. */
  readonly limits: KeyLimits;
}

/** The part of an operation's context that verifications use. */
export type VerificationContext = Pick<OperationContext, 'db' | 'record' | 'services'>;

const notFound: Verification = {
  reason: 'not_found',
  found: undefined,
  entitlement: undefined,
  limits: noLimits,
};

/** Finds the key of a secret: at once if it is remembered. */
const findKey = ({ db, services }: VerificationContext, secret: string) =>
  findByDigests(db, digestsOf(services, secret), services.doorGrace);

/** Checks all of a key but its limits. */
function check(
  { record, services }: VerificationContext,
  found: FoundKey,
  request: Pick<VerificationRequest, 'permissions' | 'address'>,
) {
  // For the log line of the request.
  record.keyId = found.id;
  record.accountId = found.account;
  if (found.staleSince !== undefined) record.isStale = true;
  const now = new Date();
  const entitlement = entitlementOf(services.settings.plans, found);
  const reason = failureOf(found, now) ?? refusalOf(found, entitlement, request);
  return { reason, found, entitlement, now };
}

/** Counts a key that was accepted while the database is away. */
const noteAccepted = ({ services }: VerificationContext, { staleSince }: FoundKey): void => {
  if (staleSince !== undefined) services.doorGrace?.noteAccepted();
};

/**
 * Verifies the secret of an API key against the database: what was committed before, by any node, counts at once. While
 * the database is away, what this process last found may count ({@link DoorGrace}).
 *
 * A verification writes nothing, except for a lease of quota units, which lasts for many uses; it counts the outcome. A
 * use that is refused for an earlier reason takes nothing from any limit.
 *
 * A text that cannot be a secret costs the same digests, but no look-up. A text that looks like an imported secret
 * costs that secret's digests as well, and a single look-up for all.
 */
export async function verifySecret(
  context: VerificationContext,
  request: VerificationRequest,
): Promise<Verification> {
  const askedAt = performance.now();
  const finding = findKey(context, request.secret);
  const found = finding instanceof Promise ? await finding : finding;
  if (!found) return notFound;
  const checked = check(context, found, request);
  const { entitlement, now } = checked;
  let reason: VerificationFailure | null = checked.reason;
  let limits: KeyLimits;
  if (reason === null) {
    request.admit?.(found.id);
    const { staleSince } = found;
    ({ refusal: reason, ...limits } = await useLimits(context, checked, {
      askedAt: staleSince ?? askedAt,
      now,
      cost: request.cost,
      onlyLeased: staleSince !== undefined,
    }));
  } else {
    limits = seeKeyLimits(context, checked, now);
  }
  context.services.keyUsage.note({
    keyId: found.id,
    secretId: found.secretId,
    at: now,
    outcome: reason ?? 'valid',
  });
  if (reason === null) noteAccepted(context, found);
  else context.record.refusal = reason;
  return { reason, found, entitlement, limits };
}

/** Verifies the secret for a key that asks about itself. This uses no limits and counts nothing. */
export async function checkSecret(
  context: VerificationContext,
  request: Pick<VerificationRequest, 'secret' | 'permissions' | 'address'>,
): Promise<Verification> {
  const found = await findKey(context, request.secret);
  if (!found) return notFound;
  const checked = check(context, found, request);
  if (checked.reason === null) noteAccepted(context, found);
  return { ...checked, limits: seeKeyLimits(context, checked, checked.now) };
}

/** Whether a text has the form of an API key, made here or imported, so that it is worth a look-up. */
export const mayBeApiKey = (importedKeys: ImportedKeys, secret: string): boolean =>
  isApiKeySecret(secret) || importedKeys.waysOf(secret).length > 0;

/** The key with the ends of its quotas' periods as of now, by this process's clock. */
function withPeriods(found: FoundKey): FoundKey {
  const { quotaRefill, quotaRefillsAt, sharedRefill, sharedRefillsAt } = found;
  if (quotaRefill === null && sharedRefill === null) return found;
  const now = new Date();
  return {
    ...found,
    quotaOver: quotaRefill && isPeriodOver(quotaRefill, quotaRefillsAt, now),
    sharedOver: sharedRefill && isPeriodOver(sharedRefill, sharedRefillsAt, now),
  };
}

/** What no longer works: a found key, or all keys of its account. */
function endOf({ id: keyId, account: accountId, isActive, pausedAt, blocked }: FoundKey) {
  if (blocked) return { accountId };
  return isActive && pausedAt === null ? undefined : { accountId, keyId };
}

/** The number of characters in the texts of a key that may be long. */
function charactersOf(found: FoundKey): number {
  const { name, permissions, metadata, allowedAddresses, plan, overrides, subject, issuer, kept } = found;
  let characters = 0;
  for (const text of [name, permissions, metadata, allowedAddresses, plan, overrides, subject, issuer, kept])
    if (text) characters += text.length;
  return characters;
}

/** Makes what finds the key of the first digest that has one, together with all who ask in the same turn. */
function createFind(look: typeof lookUp) {
  const lookTogether = shareReads(look, mostTogether);
  return async (db: Db, digests: readonly Buffer[]): Promise<FoundKey | undefined> => {
    const rows = await lookTogether(db, digests);
    for (const digest of digests) {
      const found = rows.find((row) => timingSafeEqual(digest, row.digest));
      // What is remembered must not keep the whole message that it was read from.
      if (found) return Object.assign(found, { digest });
    }
    return undefined;
  };
}

const known = rememberKeys<FoundKey>({
  find: createFind(lookUp),
  findAll: createFind(lookUpWhole),
  renew: withPeriods,
  endOf,
  charactersOf,
});

/** The keys that this process remembers of a database. */
export const rememberedKeysOf = (db: Db): RememberedKeys => ({
  probe: () => lookUpWhole(db, [Buffer.alloc(32)]),
  countUsable: (grace) => known.countUsable(db, grace),
  forgetBefore: (time) => known.forgetBefore(db, time),
});

/**
 * Finds the key of a secret.
 * @param digests all digests that find the secret. If several find a key, the earlier digest's counts: a key that was
 *   made here before the same key imported
 * @param grace decides whether a key works on while the database is away; undefined: none does
 */
export function findByDigests(
  db: Db,
  digests: readonly PepperedDigest[],
  grace?: DoorGrace,
): FoundKey | undefined | Promise<FoundKey | undefined> {
  if (digests.length === 0) return undefined;
  return known.findKnown(
    db,
    digests.map(({ digest }) => digest),
    grace,
  );
}

/**
 * Finds the reason of a refusal. The end of the key comes before the end of its secret. Both come before what may pass,
 * and before the checks of the use.
 */
export const failureOf = (
  { isActive, expiresAt, worksUntil, pausedAt, blocked }: FoundKey,
  now: Date,
): VerificationFailure | null => {
  if (!isActive) return 'inactive';
  if (expiresAt && expiresAt <= now) return 'expired';
  if (worksUntil && worksUntil <= now) return 'rotated';
  if (pausedAt !== null) return 'paused';
  return blocked ? 'account_blocked' : null;
};

/** The reason for refusing this use of a good key. */
const refusalOf = (
  { allowedAddresses, permissions }: FoundKey,
  { ceiling }: Entitlement,
  request: Pick<VerificationRequest, 'permissions' | 'address'>,
): VerificationFailure | null => {
  if (!isAllowedFrom(allowedAddresses, request.address)) return 'address_not_allowed';
  return hasAll(permissions, ceiling, request.permissions) ? null : 'insufficient_permissions';
};
