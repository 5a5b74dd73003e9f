import type { Rate } from '../config/config.ts';
import type { Organization, Organizations } from '../config/values/organizations.ts';
import type { Db } from '../database/db.ts';
import type { AccountId, AccountKind, ApiKey, AutomationSettings, QuotaRefill } from '../database/tables.ts';
import type { RateUse } from '../http/rate-limits/limiter.ts';
import type { EventLog } from '../observability/events.ts';
import type { Secrets } from '../secrets/secrets.ts';

export type { Rate, RateUse };

/** The signed-in person, or the server, on whose behalf an operation runs. A server is nobody's `iss` and `sub`. */
export interface Caller {
  /** `iss` of the access token. */
  readonly issuer: string;
  /** `sub` of the access token: unique within the issuer. */
  readonly subject: string;
}

/** Whose account it is, as the issuer names them: a person, or an organisation. */
export interface AccountHolder extends Caller {
  readonly kind: AccountKind;
}

/**
 * The person or the organisation whose data an operation reads and changes. The brand makes sure that no query for an
 * owner's data takes the caller, who may be somebody else.
 */
export type Owner = AccountHolder & { readonly __brand: 'Owner' };

/** The organisation for which one of its members calls. */
export interface ActingMember extends Organization {
  /** Its id at the issuer. */
  readonly id: string;
  /**
   * Returns the member's own account, and creates it if it is missing.
   * @throws {GatewayError} `FORBIDDEN` if it is blocked
   */
  readonly ensureAccount: (context: OperationContext) => Promise<AccountId>;
}

/** An answer that is made of many pages of a list. */
export interface Stream {
  /** The number of members in it so far. */
  count: number;
  /** The last id of the list, as it was when the answer began; undefined: not known yet. */
  last?: number;
  /** Called once, when all members were sent, or the answer was broken off. If it fails, the answer has no end. */
  onEnd?: () => Promise<void>;
}

/** The surroundings of an operation: every operation gets them beside its input. */
export interface OperationContext {
  /** Who asks. */
  readonly caller: Caller;
  /** Whose data it is: the caller's own, unless they act for an organisation, or a server of the provider for somebody. */
  readonly owner: Owner;
  /** The account that a server of the provider acts for; undefined: the caller asks for themselves. */
  readonly actingFor?: AccountId | undefined;
  /** The organisation that the caller acts for, as one of its members; undefined: the caller acts for none. */
  readonly member?: ActingMember | undefined;
  /** The organisations of the caller's token; undefined: it names none. */
  readonly organizations?: Organizations | undefined;
  /** The name of the server of the provider that calls with a secret of its own; undefined for a person. */
  readonly server?: string | undefined;
  /** Receives the facts for the request's log line. */
  readonly record: KeyRecord;
  readonly db: Db;
  readonly requestSource: RequestSource;
  readonly events: EventLog;
  readonly services: OperationServices;
  /** The `Idempotency-Key` header field of a POST, unparsed; null if missing. */
  readonly idempotencyKey: string | null;
  /** Whether the caller's token has the operators' scope. */
  readonly isOperator?: boolean;
  /** Whether the caller may read everybody's audit events. */
  readonly isAuditor?: boolean;
  /** The answer of which this is a part; undefined: it is an answer of its own. */
  readonly stream?: Stream | undefined;
  /** Whether a list without paging arguments is answered whole, because REST clients expect one array. */
  readonly wholeLists?: boolean;
  /**
   * A condition of the change. The change's own transaction checks it first.
   * @throws {GatewayError} `PRECONDITION_FAILED` if the condition does not hold
   */
  readonly precondition?: (context: OperationContext) => Promise<void>;
  /**
   * Checks the result of the change, before it is stored: what cannot be answered is not stored either.
   * @throws what the answer would throw
   */
  readonly assertAnswerable?: (result: object) => void;
}

/** The services that operations use, the same for all requests. */
export interface OperationServices {
  readonly settings: OperationSettings;
  readonly secrets: Secrets;
  readonly keyUsage: KeyUsageNotes;
  readonly keyRates: Rates;
  readonly keyQuotas: Quotas;
  /** Counts the verifications of all keys of an account together. */
  readonly accountRates: Rates;
  readonly accountQuotas: Quotas;
  readonly importedKeys: ImportedKeys;
  /** Signs assertions about API keys; undefined: the service has no keys for that. */
  readonly assertions?: Assertions | undefined;
  readonly idempotency: Idempotency;
  /** Lets API keys work on while the database is away; undefined: they do not. */
  readonly doorGrace?: DoorGrace | undefined;
}

/** What the log, the trace and the metrics tell of the API key that a request is about. */
export interface KeyRecord {
  keyId?: number;
  /** The key's account. */
  accountId?: AccountId | undefined;
  /** Why the key was refused. */
  refusal?: string;
  /** Whether the key was not found in the database now, which is away, but before. */
  isStale?: boolean;
}

/** An operation that may run only once. */
export interface KeyedOperation {
  /** The `Idempotency-Key` of the request. */
  readonly key: string;
  /** The name of the operation's root field. */
  readonly name: string;
  readonly input: object;
}

/** The result of an operation, from now or from an earlier request with the same key. */
export interface Answered<Result> {
  readonly result: Result;
  readonly isReplayed: boolean;
}

/** Runs operations once for each `Idempotency-Key` of an account. */
export interface Idempotency {
  /**
   * @param run the operation; it must use the `db` of its own context for all changes
   * @throws {GatewayError} `BAD_USER_INPUT` if the key is malformed or belongs to another request; `CONFLICT` while
   *   the first request with the key runs; `TOO_MANY_REQUESTS` if the account has used too many keys
   */
  runOnce<Result>(
    context: OperationContext,
    operation: KeyedOperation,
    run: (context: OperationContext) => Promise<Result>,
  ): Promise<Answered<Result>>;
}

/**
 * Decides which API keys work on while the database is away. All times are by `performance.now()`, in milliseconds; a key
 * was found when its question was asked.
 */
export interface DoorGrace {
  /** The error for those who cannot be answered while the database is away; undefined while it is there. */
  readonly away: Error | undefined;
  /**
   * Waits for an answer of the database; until shortly before a deadline, or until the database is found to be away.
   * @param remember receives the answer of the database, however late
   * @param recall makes the answer after a failure, or throws the error to throw
   */
  waitFor<Answer>(
    asked: Promise<Answer>,
    deadline: number,
    remember: (answer: Answer) => void,
    recall: (error: unknown) => Answer,
  ): Promise<Answer>;
  /** Takes an error of the database, which may begin an outage; returns the error to throw. */
  noteFailure(error: unknown): unknown;
  /** Whether a key that was found then may still be accepted. */
  isUsable(key: Pick<ApiKey, 'id' | 'account'>, foundAt: number): boolean;
  /** When a key that was found then may no longer be accepted. */
  usableUntil(foundAt: number): number;
  /** Notes that the database has found a key that is remembered. */
  noteFound(foundAt: number): void;
  /**
   * Notes a change that this process makes: what was found before of the key, or of all keys of the account if it
   * concerns none, no longer counts.
   */
  noteChange(event: { readonly accountId: AccountId | undefined; readonly keyId?: number }): void;
  /** Counts a key that was accepted from memory. */
  noteAccepted(): void;
}

/** A verification of an API key. */
export interface KeyUse {
  readonly keyId: number;
  readonly secretId: number;
  readonly at: Date;
  /** The result: `valid`, or the reason why the key is not valid. */
  readonly outcome: string;
}

/** Counts verifications of API keys. The counts reach the database later. */
export interface KeyUsageNotes {
  note(use: KeyUse): void;
}

/** Counts the verifications of owners that have a rate limit: of keys, or of accounts. */
export interface Rates {
  /** Counts one verification. */
  use(ownerId: number, rate: Rate): RateUse;
  /** Returns the result of a verification without counting one. */
  peek(ownerId: number, rate: Rate): RateUse;
}

/** The quota of a key, or of an account, as the database has it. */
export interface StoredQuota {
  /** The number of units in a period. */
  readonly units: number;
  readonly refill: QuotaRefill;
  /** The number of the period's units that are used, or leased to a node. */
  readonly taken: number;
  /** A counter that grows with each period and with each change of the quota. */
  readonly generation: number;
  /** Whether the period is over, so that the quota is full again. */
  readonly over: boolean;
  /** Whether the period that runs has an end by other terms than those of now. */
  readonly isMoved?: boolean;
}

/** A request for units of a quota. */
export interface QuotaRequest {
  /** The id of the key, or of the account. */
  readonly ownerId: number;
  readonly quota: StoredQuota;
  /** The value of `performance.now()` before the read of the quota, in milliseconds. */
  readonly askedAt: number;
  readonly now: Date;
  /** The number of units to use; 0 uses none and only asks. */
  readonly cost: number;
  /** Whether only units count that are leased already, because the database is away. */
  readonly onlyLeased?: boolean;
}

/** The rest of a quota. */
export interface QuotaLeft {
  /** The number of units in a period. */
  readonly limit: number;
  /** The number of units left now, without the units that other nodes have leased. */
  readonly remaining: number;
  /** The time at which the quota is full again; null if never. */
  readonly refillsAt: Date | null;
}

/** The result of a use of a quota. */
export interface QuotaUse extends QuotaLeft {
  /** Whether the quota had all the units; if not, no unit was used. */
  readonly isGranted: boolean;
  /** The period that the units belong to. */
  readonly generation: number;
}

/** Counts the units that owners use of their quotas: keys, or accounts. */
export interface Quotas {
  /**
   * Uses units of a quota. Mostly, this needs no statement, and no promise.
   * @param db the database of the request, because the request's deadline applies
   * @returns null if there is no longer a quota
   * @throws {GatewayError} `SERVICE_UNAVAILABLE` if only leased units count, and they are too few
   */
  spend(db: Db, request: QuotaRequest): QuotaUse | null | Promise<QuotaUse | null>;
  /** Takes back a use that was granted, because another limit refuses it. */
  refund(ownerId: number, use: QuotaUse, cost: number): void;
  /** Returns the rest of a quota, as {@link spend} would. */
  peek(request: Pick<QuotaRequest, 'ownerId' | 'quota' | 'now'>): QuotaLeft;
}

/** The rest of a rate limit. */
export type RateLeft = Omit<RateUse, 'isRefused'>;

/** The rest of an owner's limits; null: there is no such limit. */
export interface LimitsLeft {
  readonly rate: RateLeft | null;
  readonly quota: QuotaLeft | null;
}

/** What the provider grants an account; null: no bound, or nothing. */
export interface Grant {
  /** The most that the account's keys may do: names and wildcards; empty: nothing. */
  readonly permissions: readonly string[] | null;
  /** The verifications of all the account's keys together. */
  readonly rateLimit: { readonly limit: number; readonly windowSeconds: number } | null;
  /** The units of all the account's keys together. */
  readonly quota: { readonly limit: number; readonly refill: QuotaRefill } | null;
  /** The most active keys; null: the operator's limit for every account. */
  readonly maxActiveKeys: number | null;
  /** The longest life of a key, in days. */
  readonly maxKeyDays: number | null;
  /** The provider's own words, told with each verification. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** The provider's plans. */
export interface Plans {
  /** The name of the plan of an account that has no other. */
  readonly usual: string;
  /** What each plan grants, by its name. */
  readonly grants: ReadonlyMap<string, Grant>;
}

/** A way in which another service has hashed its API keys. */
export interface Hashing {
  readonly algorithm: 'sha256' | 'sha512';
  /** The hashed part is what follows the last occurrence of this text in a key; empty: the whole key is hashed. */
  readonly after: string;
}

/** Knows the forms of imported API keys. */
export interface ImportedKeys {
  /**
   * The ways in which another service may have hashed this text; none if it cannot be an imported key. Only a text with
   * a way is worth a database query.
   */
  waysOf(secret: string): readonly Hashing[];
}

/** What an assertion says about an API key that works now. */
export interface AssertedKey {
  readonly keyId: number;
  readonly secretId: number;
  readonly userId: AccountId;
  /** The owner, as the issuer names the person or the organisation. */
  readonly subject: string;
  readonly issuer: string;
  /** The organisation that owns the key; null: a person owns it. */
  readonly organization: string | null;
  /** The name of the account's plan; null: there are no plans. */
  readonly plan: string | null;
  /** What the key may do: names and wildcards. */
  readonly scope: readonly string[];
  /** When the key, its secret, or the grace while the database is away ends; null: never. */
  readonly endsAt: Date | null;
  /** What else an owner or an operator can change: an assertion is not given again after that. */
  readonly state: readonly (string | number | null)[];
}

/** An assertion that was signed for one caller. */
export interface IssuedAssertion {
  readonly token: string;
  /** The whole seconds until it expires. */
  readonly expiresIn: number;
}

/** Signs assertions: short-lived tokens about API keys (RFC 9068), which services check without asking anyone. */
export interface Assertions {
  /** The public keys, as a JWK Set (RFC 7517, section 5). */
  readonly keySet: object;
  /** The services that an assertion may be for; the first is the usual one. */
  readonly audiences: readonly [string, ...string[]];
  /**
   * Says of a key, for the usual audience, all that it may do. For up to 5 seconds, the same assertion may be given
   * again, as long as nothing of the key has changed.
   */
  about(key: AssertedKey): string | Promise<string>;
  /** Notes a change that this process makes: what was said before of the key, or of all keys of the account, is not said again. */
  noteChange(event: { readonly accountId: AccountId | undefined; readonly keyId?: number }): void;
  /**
   * Signs an assertion that is given to nobody else.
   * @param wanted one of the audiences, and what the bearer of the assertion may do
   */
  issue(
    key: AssertedKey,
    wanted: { readonly audience: string; readonly scope: readonly string[] },
  ): Promise<IssuedAssertion>;
}

/** The origin of a request, for the audit trail. */
export interface RequestSource {
  readonly id: string;
  /** The client's IP address; null if unknown. */
  readonly address: string | null;
  /** Whether the API key itself made the request, and not a person. */
  readonly isKeyItself?: boolean;
}

/** The settings of operations that the operator may configure. */
export interface OperationSettings {
  /** The limits of a session's duration, in seconds; both are allowed values. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
  /** The values of settings that were never set. */
  readonly automationDefaults: Readonly<Pick<AutomationSettings, 'isEnabled' | 'sessionDuration'>>;
  /** The limit of active API keys for each account. */
  readonly apiKeysPerAccount: number;
  /** The life of API keys in days, whatever the account's plan: of a key that names no end, and at most; null: no bound. */
  readonly apiKeyDays: { readonly usual: number | null; readonly most: number | null };
  /** The most changes that an account may make in a day (UTC). */
  readonly changesPerDay: number;
  /** The beginning of new API keys. */
  readonly apiKeyPrefix: string;
  /** The permissions that an API key may have; null allows any permission. */
  readonly apiKeyPermissions: readonly string[] | null;
  /** The provider's plans; undefined if the provider has no plans. */
  readonly plans?: Plans | undefined;
  /** The issuers that people may come from; empty: any. */
  readonly issuers: readonly { readonly issuer: string }[];
  /** Whether the service stores a sealed copy of each API key's secret, in `encryptedKey`. */
  readonly sealApiKeys: boolean;
  /** The rules for new webhook endpoints. */
  readonly webhooks: {
    /** The hosts that may have a private address. */
    readonly allowedHosts: readonly string[];
  };
}
