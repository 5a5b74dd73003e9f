import type { Db } from '../database/db.ts';
import type { AutomationSettings, QuotaRefill } from '../database/tables.ts';
import type { EventLog } from '../observability/events.ts';
import type { Secrets } from '../secrets/secrets.ts';

/** The signed-in person on whose behalf an operation runs. */
export interface Caller {
  /** `iss` of the access token. */
  readonly issuer: string;
  /** `sub` of the access token: unique within the issuer. */
  readonly subject: string;
}

/** What every operation is given beside its input. */
export interface OperationContext {
  readonly caller: Caller;
  readonly db: Db;
  readonly requestSource: RequestSource;
  readonly secrets: Secrets;
  readonly events: EventLog;
  readonly limits: OperationLimits;
  readonly keyUsage: KeyUsageNotes;
  readonly keyRates: KeyRates;
  readonly keyQuotas: KeyQuotas;
  readonly importedKeys: ImportedKeys;
  readonly idempotency: Idempotency;
  /** The `Idempotency-Key` of a POST, as it came; null where there is none. */
  readonly idempotencyKey: string | null;
  /** Whether a list is answered whole where no page of it is asked for: REST's clients read one array. */
  readonly wholeLists?: boolean;
  /**
   * Must hold for a change to be made. It is asked within the change's own transaction, before anything else.
   * @throws {GatewayError} `PRECONDITION_FAILED` where it does not hold
   */
  readonly precondition?: (context: OperationContext) => Promise<void>;
}

/** An operation that is to be carried out once. */
export interface KeyedOperation {
  /** The `Idempotency-Key` that it was asked for with. */
  readonly key: string;
  /** The name of its root field. */
  readonly name: string;
  readonly input: object;
}

/** What an operation came to, now or at an earlier request with the same key. */
export interface Answered<Result> {
  readonly result: Result;
  readonly isReplayed: boolean;
}

/** Carries out operations once for each key of an account. */
export interface Idempotency {
  /**
   * @param run the operation, on a context of its own: all that it changes goes through that one's `db`
   * @throws {GatewayError} `BAD_USER_INPUT` for a key that is none, or belongs to another request; `CONFLICT` while the
   *   first request with the key runs; `TOO_MANY_REQUESTS` where the account has used too many
   */
  runOnce<Result>(
    context: OperationContext,
    operation: KeyedOperation,
    run: (context: OperationContext) => Promise<Result>,
  ): Promise<Answered<Result>>;
}

/** Notes that API keys were verified; it is written later. */
export interface KeyUsageNotes {
  /** @param outcome what it came to: `valid`, or the reason why not */
  note(keyId: number, at: Date, outcome: string): void;
}

/** How many verifications a key has in a window, and how long that is. */
export interface KeyRate {
  readonly requests: number;
  readonly seconds: number;
}

/** What came of a verification that was counted. */
export interface KeyRateUse {
  /** Whether it is one too many. */
  readonly isRefused: boolean;
  readonly rate: KeyRate;
  /** How many more would pass, until then. */
  readonly remaining: number;
  readonly resetsAt: Date;
}

/** Counts the verifications of keys that have a rate limit of their own. */
export interface KeyRates {
  /** Counts one. */
  use(keyId: number, rate: KeyRate): KeyRateUse;
  /** What it would find, without counting one. */
  look(keyId: number, rate: KeyRate): KeyRateUse;
}

/** The quota of a key as it was read. */
export interface StoredQuota {
  /** How many units a period has. */
  readonly units: number;
  readonly refill: QuotaRefill;
  /** How many units of the period are used, or leased to a node. */
  readonly taken: number;
  /** Counts periods and changes of the quota. */
  readonly generation: number;
  /** Whether the period has ended since: the quota is full again. */
  readonly over: boolean;
}

/** What is asked of a key's quota. */
export interface QuotaQuestion {
  readonly keyId: number;
  readonly quota: StoredQuota;
  /** `performance.now()` before the quota was read. */
  readonly askedAt: number;
  readonly now: Date;
  /** How many units are used; 0 asks without using. */
  readonly cost: number;
}

/** What is left of a quota. */
export interface QuotaLeft {
  /** How many units a period has. */
  readonly limit: number;
  /** How many of them are left now, those aside that other nodes have leased. */
  readonly remaining: number;
  /** When it is full again; null: never. */
  readonly refillsAt: Date | null;
}

/** What came of a use. */
export interface QuotaUse extends QuotaLeft {
  /** Whether the units were there; if not, none was used. */
  readonly isGranted: boolean;
}

/** Counts what keys use of their quotas. */
export interface KeyQuotas {
  /**
   * Uses units of a key's quota.
   * @param db the request's, whose deadline holds
   * @returns null where the key has no quota any more
   */
  spend(db: Db, question: QuotaQuestion): Promise<QuotaUse | null>;
  /** What is left of a key's quota, as {@link spend} would say it. */
  look(question: Pick<QuotaQuestion, 'keyId' | 'quota' | 'now'>): QuotaLeft;
}

/** Knows how API keys look that were brought here from elsewhere. */
export interface ImportedKeys {
  /** Whether a text may be the secret of one: then it is worth asking the database. */
  mayHave(secret: string): boolean;
}

/** The request that an operation belongs to, for the record of changes. */
export interface RequestSource {
  readonly id: string;
  /** The IP address that it came from; null where it is not known. */
  readonly address: string | null;
  /** Whether the API key that it is about has made it, and no person. */
  readonly isKeyItself?: boolean;
}

/** What of the operations the operator may set. */
export interface OperationLimits {
  /** Bounds of a session's duration in seconds, both inclusive. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
  /** What settings read as that were never set. */
  readonly automationDefaults: Readonly<Pick<AutomationSettings, 'isEnabled' | 'sessionDuration'>>;
  /** The most active API keys of one account. */
  readonly apiKeysPerAccount: number;
  /** What new API keys begin with. */
  readonly apiKeyPrefix: string;
  /** The permissions that an API key may be given; null: any. */
  readonly apiKeyPermissions: readonly string[] | null;
  /** Whether of each API key a sealed copy is kept, as its `encryptedKey`. */
  readonly sealApiKeys: boolean;
  /** What webhook endpoints may be added. */
  readonly webhooks: {
    /** Hosts that may have a private address. */
    readonly allowedHosts: readonly string[];
  };
}
