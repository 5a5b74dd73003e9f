import { defineEntity, type InferKyselyDB, p } from '@mikro-orm/sql';

// All stored data. An account owns the rest; the record of an account's actions is kept for ever.
//
//   Account ─┬─ ApiKey ─┬─ ApiKeySecret
//            │          ├─ ApiKeyQuota     (none or one)
//            │          └─ ApiKeyUse       (by hour, for some months)
//            ├─ AccountQuota          (none or one)
//            ├─ AccountUse            (the sums of its keys' uses)
//            ├─ PrivateKey            (none or one)
//            ├─ AutomationSettings    (none or one)
//            ├─ IdempotencyRecord     (for a day)
//            ├─ AuditEvent
//            └─ WebhookEvent          (until it is handed to the endpoints)
//
//   WebhookEndpoint ─── WebhookDelivery  (for some days)
//   WebhookClock                         (one)
//
//   ImportedForm                         (few)

/** An account's id. The brand makes sure that only an account that was found or created has one. */
export type AccountId = number & { readonly __brand: 'AccountId' };

/** Whose account it is. A person's and an organisation's with the same text as their subject are two accounts. */
export type AccountKind = 'person' | 'organization';

const accountSchema = defineEntity({
  name: 'Account',
  uniques: [{ properties: ['issuer', 'subject', 'kind'] }],
  indexes: [
    { properties: ['isBeingErased'], where: { isBeingErased: true }, name: 'account_being_erased' },
    // For counting the accounts whose plan is not among the plans.
    { properties: ['plan'], where: { plan: { $ne: null } }, name: 'account_plan' },
    // The indexes for the search by subject are of expressions, which differ between the databases: see their migrations.
  ],
  properties: {
    id: p.integer().primary().autoincrement().$type<AccountId>(),
    issuer: p.string(),
    /** The person at the issuer, or the organisation. */
    subject: p.string(),
    kind: p.string().$type<AccountKind>().default('person'),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    /**
     * The time since which an operator blocks the account: all its API keys and tokens are refused; null: not
     * blocked.
     */
    blockedAt: p.datetime(3).nullable(),
    /** The operator's reason for the block. */
    blockReason: p.text().nullable(),
    /**
     * The time when an operator erased the account. Its subject is then another one, and it owns nothing but the
     * record of its actions.
     */
    erasedAt: p.datetime(3).nullable(),
    /** The name of the account's plan; null: the default plan. It may not be among the plans any more. */
    plan: p.string().nullable(),
    /** The members of a plan that the account has in place of its plan's own: a JSON object; null: none. */
    overrides: p.text().nullable(),
    /** The time of the last change of the plan or the overrides; null: they were never set. */
    entitledAt: p.datetime(3).nullable(),
    /** Whether rows of the erased account still wait for their removal; no operation shows them any more. */
    isBeingErased: p.boolean().default(false),
  },
});

/** The owner of data: one subject of one issuer, a person or an organisation. The first write creates the account. */
export class Account extends accountSchema.class {}
accountSchema.setClass(Account);

/** Who paused an API key. The owner may end the pause, unless an operator made it. */
export type PausedBy = 'owner' | 'operator' | 'scanner';

const apiKeySchema = defineEntity({
  name: 'ApiKey',
  // An account has at most one default key, even with concurrent changes.
  uniques: [{ properties: ['account'], where: { isDefault: true }, name: 'api_key_one_default' }],
  indexes: [
    // Operators search for a key by its beginning.
    { properties: ['keyPrefix'], name: 'api_key_prefix' },
    // The creation of a key counts the account's active keys; inactive keys must not slow that down.
    { properties: ['account'], where: { isActive: true }, name: 'api_key_active' },
    // The erasure of a person searches for the keys that they created for organisations.
    { properties: ['createdBy'], where: { createdBy: { $ne: null } }, name: 'api_key_created_by' },
    // The removal of keys that ended long ago searches for them; active keys must not slow it down.
    { properties: ['deactivatedAt'], where: { deactivatedAt: { $ne: null } }, name: 'api_key_ended' },
    // For announcing expiries in time, and for the removal of keys that expired long ago.
    {
      properties: ['expiresAt'],
      where: { isActive: true, expiresAt: { $ne: null } },
      name: 'api_key_expiry',
    },
    // Each start looks up the encryption versions of the sealed copies.
    {
      properties: ['encryptionVersion'],
      where: { encryptedKey: { $ne: null } },
      name: 'api_key_sealed_version',
    },
  ],
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.manyToOne(Account).mapToPk().index(),
    keyPrefix: p.string(),
    name: p.string().nullable(),
    description: p.text().nullable(),
    isActive: p.boolean().default(true),
    isDefault: p.boolean().default(false),
    encryptedKey: p.text().nullable(),
    encryptionVersion: p.integer().default(1),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    /** The member who created an organisation's key; null: not known, or a person's key. */
    createdBy: p.integer().$type<AccountId>().nullable(),
    /** The time from which the key is no longer valid; null: it stays valid while it is active. */
    expiresAt: p.datetime(3).nullable(),
    deactivatedAt: p.datetime(3).nullable(),
    /** The time since which the key is paused; null: it is not. An inactive key is not paused. */
    pausedAt: p.datetime(3).nullable(),
    /** Who paused the key; null: nobody. */
    pausedBy: p.string().$type<PausedBy>().nullable(),
    /** Why the key is paused, in words; null: unknown. */
    pauseReason: p.text().nullable(),
    /** The time until which the last of the replaced secrets works; null: no replaced secret ever got a grace. */
    previousWorksUntil: p.datetime(3).nullable(),
    /** Written in batches, up to half a minute late. */
    lastUsedAt: p.datetime(3).nullable(),
    /** The key's permissions: a JSON array of names; null: never set. */
    permissions: p.text().nullable(),
    /** The owner's JSON object; null: never set. */
    metadata: p.text().nullable(),
    /** The addresses that may use the key: a JSON array of CIDR ranges; null: any. */
    allowedAddresses: p.text().nullable(),
    /**
     * The number of verifications in a window, and the window's length in seconds; null: the key has no limit of its
     * own.
     */
    rateLimit: p.integer().nullable(),
    rateLimitWindow: p.integer().nullable(),
  },
});

/** A customer's credential at the API provider. The row has the key's properties, never the secret itself. */
export class ApiKey extends apiKeySchema.class {}
apiKeySchema.setClass(ApiKey);

const apiKeySecretSchema = defineEntity({
  name: 'ApiKeySecret',
  properties: {
    id: p.integer().primary().autoincrement(),
    apiKey: () => p.manyToOne(ApiKey).mapToPk().index(),
    /** HMAC-SHA-256 of the secret under a pepper; only this digest finds a secret. */
    digest: p.blob().unique(),
    /** The version of the pepper. */
    pepperVersion: p.integer().index(),
    /** The end of a replaced secret; null: this is the key's current secret. */
    worksUntil: p.datetime(3).nullable(),
    /** Everything before the dot; null: that of the key, or not known of a secret that was replaced long ago. */
    keyPrefix: p.string().nullable(),
    /** The time when the secret was made; null: not known. */
    createdAt: p.datetime(3).nullable(),
    /** The time of the last verification that the secret passed; null: none, or not known. */
    lastUsedAt: p.datetime(3).nullable(),
    /**
     * Whether the secret was imported; the digest is then that of its SHA-256. Such a row stays after a rotation, so
     * that a repeated import recognises it.
     */
    isImported: p.boolean().default(false),
    /** The time of the first report that the secret was found in public, while it worked; null: never. */
    leakedAt: p.datetime(3).nullable(),
  },
});

/** A secret of an API key: its current one, or a replaced one whose grace has not ended. */
export class ApiKeySecret extends apiKeySecretSchema.class {}
apiKeySecretSchema.setClass(ApiKeySecret);

/** The time when a quota is full again. Days and months begin at 00:00 UTC. */
export type QuotaRefill = 'never' | 'daily' | 'monthly';

const importedFormSchema = defineEntity({
  name: 'ImportedForm',
  uniques: [{ properties: ['beginning', 'algorithm', 'hashedAfter'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    /** The beginning of the keys; empty: any. */
    beginning: p.string(),
    /** The function by which the keys are hashed. */
    algorithm: p.string().$type<'sha256' | 'sha512'>().default('sha256'),
    /** The text before the hashed part of the keys; empty: the whole keys are hashed. */
    hashedAfter: p.string().default(''),
  },
});

/** A form of imported secrets. The service looks up no other texts in foreign forms. */
export class ImportedForm extends importedFormSchema.class {}
importedFormSchema.setClass(ImportedForm);

const apiKeyQuotaSchema = defineEntity({
  name: 'ApiKeyQuota',
  properties: {
    apiKey: () => p.oneToOne(ApiKey).mapToPk().owner().primary(),
    /** The number of units of a period; null: the owner has removed the quota, but what was used stays used. */
    units: p.integer().nullable(),
    refill: p.string().$type<QuotaRefill>(),
    /** The units of this period that are used, or leased to a node. */
    taken: p.integer(),
    /** The end of the period; null: never. */
    refillsAt: p.datetime(3).nullable(),
    /** Counts the periods. A lease of another period is worthless. */
    generation: p.integer(),
    /** The generation whose exhaustion was announced; null: none so far. */
    exhaustedGeneration: p.integer().nullable(),
  },
});

/** The quota of an API key. A key without a row never had one. */
export class ApiKeyQuota extends apiKeyQuotaSchema.class {}
apiKeyQuotaSchema.setClass(ApiKeyQuota);

const accountQuotaSchema = defineEntity({
  name: 'AccountQuota',
  properties: {
    account: () => p.oneToOne(Account).mapToPk().owner().primary(),
    /** When the period that runs was to end when it began; the account's plan may say something else since. */
    refill: p.string().$type<QuotaRefill>(),
    /** The units of this period that are used, or leased to a node. */
    taken: p.integer(),
    /** The end of the period; null: never. */
    refillsAt: p.datetime(3).nullable(),
    /** Counts the periods. A lease of another period is worthless. */
    generation: p.integer(),
    /** The generation whose exhaustion was announced; null: none so far. */
    exhaustedGeneration: p.integer().nullable(),
  },
});

/** What is used of the quota that all API keys of an account share. Its terms are those of the account's plan. */
export class AccountQuota extends accountQuotaSchema.class {}
accountQuotaSchema.setClass(AccountQuota);

const apiKeyUseSchema = defineEntity({
  name: 'ApiKeyUse',
  properties: {
    apiKey: () => p.manyToOne(ApiKey).mapToPk().primary(),
    /** The beginning of the hour. */
    hour: p.datetime(3).primary().index(),
    /** The outcome of the verifications: `valid`, or the reason of the refusal. */
    outcome: p.string().primary(),
    /** The number of verifications. */
    count: p.integer(),
  },
});

/** The number of verifications of an API key in an hour, by outcome. Written in batches, and kept for some months. */
export class ApiKeyUse extends apiKeyUseSchema.class {}
apiKeyUseSchema.setClass(ApiKeyUse);

const accountUseSchema = defineEntity({
  name: 'AccountUse',
  properties: {
    account: () => p.manyToOne(Account).mapToPk().primary(),
    /** The beginning of the hour. */
    hour: p.datetime(3).primary().index(),
    /** The outcome of the verifications: `valid`, or the reason of the refusal. */
    outcome: p.string().primary(),
    /** The number of verifications. */
    count: p.bigint('number'),
  },
});

/**
 * The number of verifications of all API keys of an account in an hour. The service writes these sums together with
 * the counts: adding up a thousand keys at each question would take too long.
 */
export class AccountUse extends accountUseSchema.class {}
accountUseSchema.setClass(AccountUse);

const privateKeySchema = defineEntity({
  name: 'PrivateKey',
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.oneToOne(Account).mapToPk().owner(),
    /** Compact JWE (RFC 7516). No operation returns it, whole or in part. */
    sealedKey: p.text().hidden(),
    /** The version of the key-encryption key that sealed it. */
    encryptionVersion: p.integer().default(1).index(),
    /** The JWK thumbprint of its public key (RFC 7638); null: it was registered before there were fingerprints. */
    fingerprint: p.string().nullable(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    updatedAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/** The sealed private key of an account. */
export class PrivateKey extends privateKeySchema.class {}
privateKeySchema.setClass(PrivateKey);

const automationSettingsSchema = defineEntity({
  name: 'AutomationSettings',
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.oneToOne(Account).mapToPk().owner(),
    isEnabled: p.boolean().nullable(),
    /**
     * Whether the owner set `isEnabled` to null. Otherwise null means that it was never set, and the operator's
     * default applies.
     */
    isEnabledCleared: p.boolean().default(false),
    /** In seconds. */
    sessionDuration: p.integer().nullable(),
    /** Whether the owner set `sessionDuration` to null. */
    sessionDurationCleared: p.boolean().default(false),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    updatedAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/** The automation settings of an account. */
export class AutomationSettings extends automationSettingsSchema.class {}
automationSettingsSchema.setClass(AutomationSettings);

const auditEventSchema = defineEntity({
  name: 'AuditEvent',
  indexes: [
    { properties: ['account', 'id'] },
    // A trail can be long, and the events of one key or with one action few.
    { properties: ['account', 'target'], name: 'audit_event_target' },
    { properties: ['account', 'action'], name: 'audit_event_action' },
    // The erasure of an account searches for the operators' actions on it; most events have no other account.
    { properties: ['other'], where: { other: { $ne: null } }, name: 'audit_event_other' },
    // Whoever reads the trails of all accounts filters them by one of these, in the order of the ids.
    { properties: ['action', 'id'], name: 'audit_event_by_action' },
    { properties: ['actor', 'id'], where: { actor: { $ne: null } }, name: 'audit_event_by_actor' },
    { properties: ['target', 'id'], where: { target: { $ne: null } }, name: 'audit_event_by_target' },
    { properties: ['createdAt'], name: 'audit_event_by_time' },
  ],
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.manyToOne(Account).mapToPk(),
    /**
     * The actor: `member` (of the organisation that owns the account), `operator`, `provider` (a server of the provider), `key` (the API key itself), `scanner` (which finds
     * keys in public), or null: the account's owner.
     */
    actor: p.string().nullable(),
    /**
     * The server of the provider that did it: its name, if it has a secret of its own; `sub (iss)` of its access token,
     * if it acted for the account with one; null for all others.
     */
    server: p.text().nullable(),
    /**
     * The other account of an operator's or a member's action, which is in both audit trails: their account in the trail
     * of the account concerned, and the reverse.
     */
    other: () => p.manyToOne(Account).mapToPk().nullable().deleteRule('no action').updateRule('no action'),
    /** The operator's reason; null if missing. */
    reason: p.text().nullable(),
    /** The name of the business event. */
    action: p.string(),
    /** The id of the changed row, in the table that the action concerns. */
    target: p.integer().nullable(),
    /** The id of the request, as in its answer. */
    request: p.string(),
    /** The IP address of the caller; null if unknown. */
    address: p.string().nullable(),
    /**
     * The changes, with the values before and after, or the digests of long values: a JSON array; null if the action
     * says everything.
     */
    details: p.text().nullable(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    /**
     * The number of the account's changes on this day (UTC, by the database's clock), this one included, plus the days
     * since 1970 times 1,000,000,000. An event that is not the account's own change repeats the number before it.
     */
    ofDay: p.bigint('number').default(0),
  },
});

/**
 * The record of a change to something that an account owns. Rows are added and never changed, and the ids of an
 * account's rows are in the order in which the rows become visible: the database enforces both. Only the erasure of
 * an account empties the addresses, details and reasons that concern the account.
 */
export class AuditEvent extends auditEventSchema.class {}
auditEventSchema.setClass(AuditEvent);

const idempotencyRecordSchema = defineEntity({
  name: 'IdempotencyRecord',
  uniques: [{ properties: ['account', 'keyDigest'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.manyToOne(Account).mapToPk(),
    /** SHA-256 of the Idempotency-Key. */
    keyDigest: p.blob(),
    /** A compact JWE (RFC 7516), which only the owner of the key can open. */
    sealedAnswer: p.text().hidden(),
    /** The version of the pepper that sealed the answer. */
    pepperVersion: p.integer(),
    createdAt: p.datetime(3).index(),
  },
});

/** The answer of an operation to a request with an Idempotency-Key, for repetitions of the request. */
export class IdempotencyRecord extends idempotencyRecordSchema.class {}
idempotencyRecordSchema.setClass(IdempotencyRecord);

const webhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  properties: {
    id: p.integer().primary().autoincrement(),
    url: p.string().length(2048).unique(),
    /** The event types that the endpoint receives: a JSON array of names and patterns such as `api_key.*`. */
    events: p.text(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    /** The time since which the endpoint is paused: new events wait. */
    pausedAt: p.datetime(3).nullable(),
    /** The time when the receiver answered 410 (Gone), which paused the endpoint; null: it did not. */
    goneAt: p.datetime(3).nullable(),
    /** The time of the first of the failed attempts since the last successful one; null: the last one succeeded. */
    failingSince: p.datetime(3).nullable(),
    /**
     * The time since which the endpoint is no longer configured, or since which an operator has removed it: it
     * receives no new events.
     */
    removedAt: p.datetime(3).nullable(),
    /** The names of the headers that each message has: a JSON array; null: none. */
    headerNames: p.text().nullable(),
    /**
     * The secrets and the headers of an endpoint that an operator added, a compact JWE (RFC 7516) of a JSON object.
     * Null for a removed endpoint, and for a configured one, whose secrets are in the configuration.
     */
    sealedSecrets: p.text().nullable().hidden(),
    /** The version of the key-encryption key that sealed the secrets. */
    encryptionVersion: p.integer().nullable(),
    /** The time when the newest secret was made; null for a configured endpoint. */
    secretCreatedAt: p.datetime(3).nullable(),
    /** The time until which the earlier secrets sign as well. */
    previousSignUntil: p.datetime(3).nullable(),
  },
});

/** A webhook endpoint, from the configuration or from an operator. */
export class WebhookEndpoint extends webhookEndpointSchema.class {}
webhookEndpointSchema.setClass(WebhookEndpoint);

const webhookEventSchema = defineEntity({
  name: 'WebhookEvent',
  // Accounts take turns.
  indexes: [{ properties: ['account', 'id'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    /** The account that the event concerns, or the owner of its subject. */
    account: () => p.manyToOne(Account).mapToPk(),
    /** As in an audit event. */
    actor: p.string().nullable(),
    /** The account of the member who did it, for an organisation; null for all others. */
    member: p.integer().nullable(),
    action: p.string(),
    target: p.integer().nullable(),
    reason: p.text().nullable(),
    details: p.text().nullable(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/**
 * An event for the webhook endpoints, in an outbox. While an endpoint exists, the database itself adds a row with
 * each audit event, in the transaction of the change.
 */
export class WebhookEvent extends webhookEventSchema.class {}
webhookEventSchema.setClass(WebhookEvent);

const webhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  indexes: [
    // For the waiting deliveries of a lane, in order.
    { properties: ['endpoint', 'lane', 'id'], where: { state: 'waiting' }, name: 'webhook_delivery_waiting' },
    // For those in line, and for those beside it.
    {
      properties: ['endpoint', 'dueAt', 'account'],
      where: { state: 'waiting', attempts: 0, dueAt: { $ne: null } },
      name: 'webhook_delivery_line',
    },
    {
      properties: ['endpoint', 'dueAt'],
      where: { state: 'waiting', attempts: { $gt: 0 } },
      name: 'webhook_delivery_again',
    },
    { properties: ['state', 'keptUntil'] },
    // For the operators' view of an endpoint: all deliveries, newest first; those that were given up; and the last
    // attempt.
    { properties: ['endpoint', 'id'] },
    { properties: ['endpoint', 'id'], where: { state: 'parked' }, name: 'webhook_delivery_parked' },
    {
      properties: ['endpoint', 'lastAttemptAt'],
      where: { lastAttemptAt: { $ne: null } },
      name: 'webhook_delivery_last_attempt',
    },
  ],
  properties: {
    id: p.integer().primary().autoincrement(),
    endpoint: () => p.manyToOne(WebhookEndpoint).mapToPk(),
    account: () => p.manyToOne(Account).mapToPk().index(),
    /** The subject of the delivery, an API key or an account: deliveries about one subject stay in order. */
    lane: p.string(),
    /** The id of the event for all endpoints and all attempts: `webhook-id`. */
    message: p.string(),
    type: p.string(),
    /** The body, as it is signed and sent. */
    payload: p.text(),
    /** `waiting`, `delivered`, or `parked`: given up. */
    state: p.string(),
    /** The number of attempts, begun ones included. */
    attempts: p.integer(),
    /**
     * The place in line of a delivery that was never attempted: the earliest comes first, even before its time. For
     * any other, the time of the next attempt; while a node sends it, the time from which other nodes may. Null if
     * nothing waits, or while an earlier delivery of the lane waits.
     */
    dueAt: p.datetime(3).nullable(),
    lastAttemptAt: p.datetime(3).nullable(),
    /** The outcome of the last attempt: `status 200`, `timeout` and the like. */
    lastOutcome: p.string().nullable(),
    createdAt: p.datetime(3),
    /** The time when a waiting delivery is parked, or when any other delivery is deleted. */
    keptUntil: p.datetime(3),
  },
});

/** An event for one endpoint. */
export class WebhookDelivery extends webhookDeliverySchema.class {}
webhookDeliverySchema.setClass(WebhookDelivery);

const webhookClockSchema = defineEntity({
  name: 'WebhookClock',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** The time up to which the expiries of API keys have been announced. */
    expiriesToldUntil: p.datetime(3),
  },
});

/** A single row; the node that hands out events locks it. */
export class WebhookClock extends webhookClockSchema.class {}
webhookClockSchema.setClass(WebhookClock);

/** All entities, for the ORM. */
export const entities = [
  accountSchema,
  apiKeySchema,
  apiKeySecretSchema,
  importedFormSchema,
  apiKeyQuotaSchema,
  accountQuotaSchema,
  apiKeyUseSchema,
  accountUseSchema,
  privateKeySchema,
  automationSettingsSchema,
  auditEventSchema,
  idempotencyRecordSchema,
  webhookEndpointSchema,
  webhookEventSchema,
  webhookDeliverySchema,
  webhookClockSchema,
];

/** The tables and columns with their names in queries, inferred from the entities. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;
