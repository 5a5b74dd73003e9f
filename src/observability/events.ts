import type { AccountId } from '../database/tables.ts';

/** The business events of the log, each with its members. */
export interface BusinessEvents {
  'account-blocked': OfAccount;
  'account-created': OfAccount & ByProvider;
  'account-entitlement-changed': OfAccount & ByProvider;
  'account-erased': OfAccount;
  'account-trail-read': OfAccount;
  'account-unblocked': OfAccount;
  'audit-trail-read': OfTrail;
  'api-key-created': OfApiKey & ByProvider;
  'api-key-deactivated': OfApiKey & ByKeyItself;
  'api-key-leaked': OfApiKey;
  'api-key-paused': OfApiKey;
  'api-key-renamed': OfApiKey;
  'api-key-resumed': OfApiKey;
  'api-key-rotated': OfApiKey;
  'api-key-secret-ended': OfApiKey;
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
  /** The account of the operator who did it; undefined if the account's owner did it. */
  readonly operatorId?: AccountId | undefined;
  /** The operator's reason. It goes to the audit trail only, because free text from people has no place in a log. */
  readonly reason?: string | undefined;
}

interface OfApiKey extends OfAccount {
  readonly keyId: number;
}

/**
 * A webhook endpoint belongs to no account, so `accountId` is the operator's own account: its audit trail gets the
 * event. It is undefined for a server, which has neither: then only the log has the event.
 */
interface OfWebhookEndpoint extends Omit<OfAccount, 'accountId'> {
  readonly accountId: AccountId | undefined;
  readonly endpointId: number;
}

/** The reading of the whole audit trail. As with a webhook endpoint, a server has no account. */
interface OfTrail extends Omit<OfAccount, 'accountId'> {
  readonly accountId: AccountId | undefined;
  /** The filter, in REST's names. */
  readonly filter: object;
  /** How many events were read. */
  readonly count: number;
}

interface ByKeyItself {
  /** Whether the API key itself made the request, and not its owner. */
  readonly isKeyItself?: boolean;
}

interface ByProvider {
  /** Whether a server of the provider did it, and not the account's owner. */
  readonly isProvider?: boolean;
}

/** One field that an event has changed. */
export interface Change {
  /** The REST name of the field. */
  readonly field: string;
  /** The former value, as JSON; null if the field had no value. Of a list, the items that left it. */
  readonly from: unknown;
  /** The new value. Of a list, the items that joined it. */
  readonly to: unknown;
}

/**
 * Writes business events to the log, with the ids of their request. The changes go to the audit trail only: the audit
 * trail belongs to the caller, and the log does not.
 */
export type EventLog = <Name extends keyof BusinessEvents>(
  name: Name,
  event: BusinessEvents[Name],
  changes?: readonly Change[],
) => void;
