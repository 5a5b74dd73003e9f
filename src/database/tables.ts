import { defineEntity, type InferKyselyDB, p } from '@mikro-orm/sql';

// All that is stored. An account owns the rest; whatever an account has done is recorded for ever.
//
//   Account ─┬─ ApiKey ─┬─ ApiKeySecret
//            │          ├─ ApiKeyQuota     (none or one)
//            │          └─ ApiKeyUse       (by hour, for some months)
//            ├─ AccountUse            (what its keys' uses add up to)
//            ├─ PrivateKey            (none or one)
//            ├─ AutomationSettings    (none or one)
//            ├─ IdempotencyRecord     (for a day)
//            ├─ AuditEvent
//            └─ WebhookEvent          (until it is handed to the endpoints)
//
//   WebhookEndpoint ─┬─ WebhookLane      (while something waits in it)
//                    └─ WebhookDelivery  (for some days)
//   WebhookClock                         (one)
//
//   ImportedForm                         (few)

/** An account's id. Branded: nothing but an account that was found or created has one. */
export type AccountId = number & { readonly __brand: 'AccountId' };

const accountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  uniques: [{ properties: ['issuer', 'subject'] }],
  // Operators look for subjects by how they begin, whoever has issued them.
  indexes: [
    { properties: ['subject'], name: 'account_subject' },
    { properties: ['isBeingErased'], where: { isBeingErased: true }, name: 'account_being_erased' },
  ],
  properties: {
    id: p.integer().primary().autoincrement().$type<AccountId>(),
    issuer: p.string(),
    subject: p.string(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    /** Since when an operator has it blocked: none of its keys is good, and none of its tokens; null: it is not. */
    blockedAt: p.datetime(3).nullable(),
    /** Why, in the operator's words. */
    blockReason: p.text().nullable(),
    /** When an operator has erased it: its subject is another then, and nothing belongs to it but what it has done. */
    erasedAt: p.datetime(3).nullable(),
    /** Whether rows of what it had are still to be removed, which nobody sees any more. */
    isBeingErased: p.boolean().default(false),
  },
});

/** Who owns things here: one subject of one issuer. Created on the first write. */
export class Account extends accountSchema.class {}
accountSchema.setClass(Account);

const apiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  // One default key an account, whatever races for it.
  uniques: [{ properties: ['account'], where: { isDefault: true }, name: 'api_key_one_default' }],
  indexes: [
    // Operators look for a key of which they know the beginning.
    { properties: ['keyPrefix'], name: 'api_key_prefix' },
    // An account's active keys are counted when it gets another; how many are inactive does not matter then.
    { properties: ['account'], where: { isActive: true }, name: 'api_key_active' },
    // Those that expire are told of in time.
    {
      properties: ['expiresAt'],
      where: { isActive: true, expiresAt: { $ne: null } },
      name: 'api_key_expiry',
    },
    // The versions that sealed copies refer to are looked up at each start.
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
    isActive: p.boolean().default(true),
    isDefault: p.boolean().default(false),
    encryptedKey: p.text().nullable(),
    encryptionVersion: p.integer().default(1),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    /** From then on it is valid no more; null: for as long as it is active. */
    expiresAt: p.datetime(3).nullable(),
    deactivatedAt: p.datetime(3).nullable(),
    /** Until when a secret that was rotated out still works: the last of them; null where none ever did. */
    previousWorksUntil: p.datetime(3).nullable(),
    /** Written in batches: up to half a minute late. */
    lastUsedAt: p.datetime(3).nullable(),
    /** What its bearer may do: a JSON array of names; null: none was set. */
    permissions: p.text().nullable(),
    /** A JSON object of the provider's; null: none was set. */
    metadata: p.text().nullable(),
    /** From where it may be used: a JSON array of CIDR ranges; null: from anywhere. */
    allowedAddresses: p.text().nullable(),
    /** How many verifications it has in a window, and how long that is in seconds; null: no limit of its own. */
    rateLimit: p.integer().nullable(),
    rateLimitWindow: p.integer().nullable(),
  },
});

/** A customer's credential at the API provider: never the secret itself, only what is known of it. */
export class ApiKey extends apiKeySchema.class {}
apiKeySchema.setClass(ApiKey);

const apiKeySecretSchema = defineEntity({
  name: 'ApiKeySecret',
  tableName: 'api_key_secret',
  properties: {
    id: p.integer().primary().autoincrement(),
    apiKey: () => p.manyToOne(ApiKey).mapToPk().index(),
    /** HMAC-SHA-256 of the secret under a pepper: by this alone is a secret found. */
    digest: p.blob().unique(),
    /** The version of that pepper. */
    pepperVersion: p.integer().index(),
    /** When a secret that was rotated out ceases to work; null: it is the key's current one. */
    worksUntil: p.datetime(3).nullable(),
    /**
     * Whether it was brought here from elsewhere: the digest is that of its SHA-256 then. Such a row stays when the
     * secret is rotated out, so that an import that is run again knows it.
     */
    isImported: p.boolean().default(false),
    /** When it was first reported that it was found in public, while it worked; null: never. */
    leakedAt: p.datetime(3).nullable(),
  },
});

/** A secret by which an API key is known: its current one, and those rotated out whose grace has not ended. */
export class ApiKeySecret extends apiKeySecretSchema.class {}
apiKeySecretSchema.setClass(ApiKeySecret);

/** When a quota is full again; days and months begin at 00:00 UTC. */
export type QuotaRefill = 'never' | 'daily' | 'monthly';

const importedFormSchema = defineEntity({
  name: 'ImportedForm',
  tableName: 'imported_form',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** How such keys begin; empty: in any way. */
    beginning: p.string().unique(),
  },
});

/** How secrets begin that were brought here from elsewhere: nothing else of another form than ours is looked for. */
export class ImportedForm extends importedFormSchema.class {}
importedFormSchema.setClass(ImportedForm);

const apiKeyQuotaSchema = defineEntity({
  name: 'ApiKeyQuota',
  tableName: 'api_key_quota',
  properties: {
    apiKey: () => p.oneToOne(ApiKey).mapToPk().owner().primary(),
    /** How many units a period has. */
    units: p.integer(),
    refill: p.string().$type<QuotaRefill>(),
    /** Units of this period that are used, or leased to a node. */
    taken: p.integer(),
    /** When the period ends; null: never. */
    refillsAt: p.datetime(3).nullable(),
    /** Counts periods and changes of the quota: a lease of another generation is worth nothing. */
    generation: p.integer(),
    /** The generation of which it was told that it has run out; null: of none so far. */
    exhaustedGeneration: p.integer().nullable(),
  },
});

/** How much an API key may be used. A key without a row has no quota. */
export class ApiKeyQuota extends apiKeyQuotaSchema.class {}
apiKeyQuotaSchema.setClass(ApiKeyQuota);

const apiKeyUseSchema = defineEntity({
  name: 'ApiKeyUse',
  tableName: 'api_key_use',
  properties: {
    apiKey: () => p.manyToOne(ApiKey).mapToPk().primary(),
    /** The beginning of the hour. */
    hour: p.datetime(3).primary().index(),
    /** What the verifications came to: `valid`, or why not. */
    outcome: p.string().primary(),
    /** How many there were. */
    count: p.integer(),
  },
});

/** How often an API key was verified in an hour, by what it came to. Written in batches, and kept for some months. */
export class ApiKeyUse extends apiKeyUseSchema.class {}
apiKeyUseSchema.setClass(ApiKeyUse);

const accountUseSchema = defineEntity({
  name: 'AccountUse',
  tableName: 'account_use',
  properties: {
    account: () => p.manyToOne(Account).mapToPk().primary(),
    /** The beginning of the hour. */
    hour: p.datetime(3).primary().index(),
    /** What the verifications came to: `valid`, or why not. */
    outcome: p.string().primary(),
    /** How many there were. */
    count: p.bigint('number'),
  },
});

/**
 * How often all API keys of an account together were verified in an hour. Written with what it adds up, since of a
 * thousand keys that is too much to be added up whenever somebody asks.
 */
export class AccountUse extends accountUseSchema.class {}
accountUseSchema.setClass(AccountUse);

const privateKeySchema = defineEntity({
  name: 'PrivateKey',
  tableName: 'private_key',
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.oneToOne(Account).mapToPk().owner(),
    /** Compact JWE (RFC 7516). No operation returns it, whole or in part. */
    sealedKey: p.text().hidden(),
    /** The version of the key-encryption key that sealed it. */
    encryptionVersion: p.integer().default(1).index(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    updatedAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/** The private key that an account has stored, sealed. */
export class PrivateKey extends privateKeySchema.class {}
privateKeySchema.setClass(PrivateKey);

const automationSettingsSchema = defineEntity({
  name: 'AutomationSettings',
  tableName: 'automation_settings',
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.oneToOne(Account).mapToPk().owner(),
    isEnabled: p.boolean().nullable(),
    /** Whether it was set to null. Else null says that it was never set, and it reads as the operator's default. */
    isEnabledCleared: p.boolean().default(false),
    /** Seconds. */
    sessionDuration: p.integer().nullable(),
    /** The same of the session's duration. */
    sessionDurationCleared: p.boolean().default(false),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    updatedAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/** How an account's automation runs. */
export class AutomationSettings extends automationSettingsSchema.class {}
automationSettingsSchema.setClass(AutomationSettings);

const auditEventSchema = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_event',
  indexes: [
    { properties: ['account', 'id'] },
    // What operators have done to an account is found when it is erased; most events have nobody else.
    { properties: ['other'], where: { other: { $ne: null } }, name: 'audit_event_other' },
  ],
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.manyToOne(Account).mapToPk(),
    /** Who did it: `operator`, `key` (the API key itself), `scanner` (who finds keys in public), or null: the account's owner. */
    actor: p.string().nullable(),
    /**
     * The other account of what an operator did, which is in both trails: the operator's in that of the account that it
     * was done to, and the reverse.
     */
    other: () => p.manyToOne(Account).mapToPk().nullable().deleteRule('no action').updateRule('no action'),
    /** Why, in the operator's words; null where nobody said. */
    reason: p.text().nullable(),
    /** The name of the business event. */
    action: p.string(),
    /** The id of the row that was changed, in the table that the action is about. */
    target: p.integer().nullable(),
    /** The id of the request, as its answer named it. */
    request: p.string(),
    /** The IP address of the caller; null where it is not known. */
    address: p.string().nullable(),
    /** What was changed, from what to what: a JSON array; null where the action says all. */
    details: p.text().nullable(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/**
 * That somebody changed something that an account owns. Rows are added, never changed, and an account's ids come in the
 * order in which its rows are there for others: the database sees to both. Where an account is erased, the addresses,
 * details and reasons are emptied that are about it; nothing else can be.
 */
export class AuditEvent extends auditEventSchema.class {}
auditEventSchema.setClass(AuditEvent);

const idempotencyRecordSchema = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  uniques: [{ properties: ['account', 'keyDigest'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.manyToOne(Account).mapToPk(),
    /** SHA-256 of the Idempotency-Key. */
    keyDigest: p.blob(),
    /** Compact JWE (RFC 7516): opens for who has the key, and for nobody else. */
    sealedAnswer: p.text().hidden(),
    /** The version of the pepper that it is sealed under. */
    pepperVersion: p.integer(),
    createdAt: p.datetime(3).index(),
  },
});

/** What an operation has answered to a request with an Idempotency-Key, for those that repeat it. */
export class IdempotencyRecord extends idempotencyRecordSchema.class {}
idempotencyRecordSchema.setClass(IdempotencyRecord);

const webhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    id: p.integer().primary().autoincrement(),
    url: p.string().length(2048).unique(),
    /** The types of events that it is told of: a JSON array of names and patterns such as `api_key.*`. */
    events: p.text(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    /** Since when nothing is sent to it; what happens meanwhile waits. */
    pausedAt: p.datetime(3).nullable(),
    /** Since when it is configured no more, or an operator has removed it: it is told of nothing that happens. */
    removedAt: p.datetime(3).nullable(),
    /**
     * The secrets of one that an operator has added, a compact JWE (RFC 7516) of a JSON array: the newest, then those
     * before it. Null where it was removed, and of one of the configuration, which has them itself.
     */
    sealedSecrets: p.text().nullable().hidden(),
    /** The version of the key-encryption key that sealed them. */
    encryptionVersion: p.integer().nullable(),
    /** When the newest was made; null of one of the configuration. */
    secretCreatedAt: p.datetime(3).nullable(),
    /** Until when those before it sign as well. */
    previousSignUntil: p.datetime(3).nullable(),
  },
});

/** Where a provider is told of events: of the configuration, or added by an operator. */
export class WebhookEndpoint extends webhookEndpointSchema.class {}
webhookEndpointSchema.setClass(WebhookEndpoint);

const webhookEventSchema = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_event',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** The account that it is about, or that owns what it is about. */
    account: () => p.manyToOne(Account).mapToPk(),
    /** As in an audit event. */
    actor: p.string().nullable(),
    action: p.string(),
    target: p.integer().nullable(),
    reason: p.text().nullable(),
    details: p.text().nullable(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/**
 * Something that endpoints are to be told of: an outbox. While there is an endpoint, the database itself adds a row with
 * each audit event, in the transaction of the change.
 */
export class WebhookEvent extends webhookEventSchema.class {}
webhookEventSchema.setClass(WebhookEvent);

const webhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  indexes: [
    // What waits in a lane, in its order.
    { properties: ['endpoint', 'lane', 'id'], where: { state: 'waiting' }, name: 'webhook_delivery_waiting' },
    { properties: ['state', 'keptUntil'] },
    // What operators see of an endpoint: all of it, newest first, what was given up, and the last attempt.
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
    lane: p.string(),
    /** Names the event to all endpoints, at each attempt: `webhook-id`. */
    message: p.string(),
    type: p.string(),
    /** The body, as it is signed and sent. */
    payload: p.text(),
    /** `waiting`, `delivered`, or `parked`: given up. */
    state: p.string(),
    attempts: p.integer(),
    lastAttemptAt: p.datetime(3).nullable(),
    /** What the last attempt came to: `status 200`, `timeout` and the like. */
    lastOutcome: p.string().nullable(),
    createdAt: p.datetime(3),
    /** When it is parked, where it waits; else when it is deleted. */
    keptUntil: p.datetime(3),
  },
});

/** An event on its way to an endpoint. */
export class WebhookDelivery extends webhookDeliverySchema.class {}
webhookDeliverySchema.setClass(WebhookDelivery);

const webhookLaneSchema = defineEntity({
  name: 'WebhookLane',
  tableName: 'webhook_lane',
  uniques: [{ properties: ['endpoint', 'lane'] }],
  indexes: [{ properties: ['endpoint', 'dueAt'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    endpoint: () => p.manyToOne(WebhookEndpoint).mapToPk(),
    /** What its deliveries are about: an API key, or an account. */
    lane: p.string(),
    /** When its first delivery is sent next; while a node sends it, when others may. */
    dueAt: p.datetime(3),
  },
});

/** That deliveries to an endpoint wait for each other, and when it is the next one's turn. */
export class WebhookLane extends webhookLaneSchema.class {}
webhookLaneSchema.setClass(WebhookLane);

const webhookClockSchema = defineEntity({
  name: 'WebhookClock',
  tableName: 'webhook_clock',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** Up to when it was told which API keys expire. */
    expiriesToldUntil: p.datetime(3),
  },
});

/** One row: who hands out events locks it. */
export class WebhookClock extends webhookClockSchema.class {}
webhookClockSchema.setClass(WebhookClock);

/** All of them, for the ORM. */
export const entities = [
  Account,
  ApiKey,
  ApiKeySecret,
  ImportedForm,
  ApiKeyQuota,
  ApiKeyUse,
  AccountUse,
  PrivateKey,
  AutomationSettings,
  AuditEvent,
  IdempotencyRecord,
  WebhookEndpoint,
  WebhookEvent,
  WebhookDelivery,
  WebhookLane,
  WebhookClock,
];

/** The tables and their columns as queries name them, inferred from the entities. */
export type Tables = InferKyselyDB<
  | typeof accountSchema
  | typeof apiKeySchema
  | typeof apiKeySecretSchema
  | typeof importedFormSchema
  | typeof apiKeyQuotaSchema
  | typeof apiKeyUseSchema
  | typeof accountUseSchema
  | typeof privateKeySchema
  | typeof automationSettingsSchema
  | typeof auditEventSchema
  | typeof idempotencyRecordSchema
  | typeof webhookEndpointSchema
  | typeof webhookEventSchema
  | typeof webhookDeliverySchema
  | typeof webhookLaneSchema
  | typeof webhookClockSchema
>;
