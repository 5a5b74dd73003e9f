import { type WebhookAction, webhookEvents } from '../../config/values/webhook-events.ts';
import type { Account, ApiKey, WebhookEvent } from '../../database/tables.ts';

/** What webhooks tell of an action. */
type Kind = (typeof webhookEvents)[WebhookAction];

/** What webhooks tell of each action that causes some. */
export const kinds: ReadonlyMap<string, Kind> = new Map(Object.entries(webhookEvents));

/** The subjects of an event: its account, and its API key if it has one. */
interface Subjects {
  readonly account: Pick<Account, 'issuer' | 'subject' | 'erasedAt'>;
  readonly apiKey: Pick<ApiKey, 'keyPrefix' | 'name' | 'expiresAt'> | undefined;
}

/** Makes the message that the service sends for an event, in REST's names. It contains no secret. */
export function messageOf(event: WebhookEvent, { type, about }: Kind, { account, apiKey }: Subjects) {
  const key = {
    key_id: event.target ?? null,
    key_prefix: apiKey?.keyPrefix ?? null,
    name: apiKey?.name ?? null,
    expires_at: apiKey?.expiresAt?.toISOString() ?? null,
  };
  // Nobody learns any more to whom an erased account belonged.
  const { issuer, subject } = account.erasedAt ? { issuer: null, subject: null } : account;
  return {
    type,
    timestamp: event.createdAt.toISOString(),
    data: {
      user_id: event.account,
      issuer,
      subject,
      by: event.actor ?? 'owner',
      reason: event.reason ?? null,
      changes: JSON.parse(event.details ?? '[]'),
      ...(about === 'api-key' && key),
    },
  };
}
