import type { AccountId } from '../database/tables.ts';

/** What happened in the business, for the log: every event and its members stand here. */
export interface BusinessEvents {
  'account-blocked': OfAccount;
  'account-created': OfAccount;
  'account-erased': OfAccount;
  'account-unblocked': OfAccount;
  'api-key-created': OfApiKey;
  'api-key-deactivated': OfApiKey & ByKeyItself;
  'api-key-leaked': OfApiKey;
  'api-key-renamed': OfApiKey;
  'api-key-rotated': OfApiKey;
  'api-key-updated': OfApiKey;
  'default-api-key-set': OfApiKey;
  'private-key-registered': OfAccount;
  'private-key-removed': OfAccount;
  'automation-settings-updated': OfAccount;
  'webhook-delivery-resent': OfWebhookEndpoint;
  'webhook-endpoint-created': OfWebhookEndpoint;
  'webhook-endpoint-removed': OfWebhookEndpoint;
  'webhook-endpoint-updated': OfWebhookEndpoint;
  'webhook-secret-rotated': OfWebhookEndpoint;
}

interface OfAccount {
  readonly accountId: AccountId;
  /** The operator's own account, where an operator did it; undefined: the account's owner did. */
  readonly operatorId?: AccountId | undefined;
  /** Why, in the operator's words. It stands in the audit trail alone: what people write has no place in a log. */
  readonly reason?: string | undefined;
}

interface OfApiKey extends OfAccount {
  readonly keyId: number;
}

/** A webhook endpoint is nobody's: what an operator does to it stands in the operator's own trail. */
interface OfWebhookEndpoint extends OfAccount {
  readonly endpointId: number;
}

interface ByKeyItself {
  /** The key has done it, and not its owner. */
  readonly isKeyItself?: boolean;
}

/** What an event has changed of something. */
export interface Change {
  /** What was changed, as REST names it. */
  readonly field: string;
  /** What it was, as JSON; null where it was not set. */
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * Writes business events to the log of the request that they belong to. What was changed is for the audit trail alone:
 * it is the caller's, and the log is not.
 */
export type EventLog = <Name extends keyof BusinessEvents>(
  name: Name,
  event: BusinessEvents[Name],
  changes?: readonly Change[],
) => void;
