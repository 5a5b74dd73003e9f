import type { Db } from '../database/db.ts';
import type { AutomationSettings } from '../database/tables.ts';
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
  /** Whether a list is answered whole where no page of it is asked for: REST's clients read one array. */
  readonly wholeLists?: boolean;
  /**
   * Must hold for a change to be made. It is asked within the change's own transaction, before anything else.
   * @throws {GatewayError} `PRECONDITION_FAILED` where it does not hold
   */
  readonly precondition?: (context: OperationContext) => Promise<void>;
}

/** Notes that API keys were used; it is written later. */
export interface KeyUsageNotes {
  note(keyId: number, at: Date): void;
}

/** The request that an operation belongs to, for the record of changes. */
export interface RequestSource {
  readonly id: string;
  /** The IP address that it came from; null where it is not known. */
  readonly address: string | null;
}

/** What of the operations the operator may set. */
export interface OperationLimits {
  /** Bounds of a session's duration in seconds, both inclusive. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
  /** What settings read as that were never set. */
  readonly automationDefaults: Readonly<Pick<AutomationSettings, 'isEnabled' | 'sessionDuration'>>;
  /** The most active API keys of one account. */
  readonly apiKeysPerAccount: number;
  /** Whether of each API key a sealed copy is kept, as its `encryptedKey`. */
  readonly sealApiKeys: boolean;
}
