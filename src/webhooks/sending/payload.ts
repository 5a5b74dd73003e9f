import { subjectOf } from '../../config/values/webhook-events.ts';
import type { Account, ApiKey, WebhookEvent } from '../../database/tables.ts';

/** The subjects of an event: its account, and its API key if it has one. */
interface Subjects {
  readonly account: Pick<Account, 'issuer' | 'subject' | 'erasedAt'>;
  readonly apiKey: Pick<ApiKey, 'keyPrefix' | 'name' | 'expiresAt'> | undefined;
}

/** Makes the message that the service sends for an event, in REST's names. It contains no secret. */
export function messageOf(event: WebhookEvent, type: string, { account, apiKey }: Subjects) {
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
      ...(subjectOf(type) === 'api-key' && key),
    },
  };
}
