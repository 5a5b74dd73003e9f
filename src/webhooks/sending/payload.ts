import { kindOf } from '../../accounts/account-record.ts';
import { subjectOf } from '../../config/values/webhook-events.ts';
import type { Account, ApiKey, WebhookEvent } from '../../database/tables.ts';

/** The subjects of an event: its account, and its API key if it has one. */
interface Subjects {
  readonly account: Pick<Account, 'issuer' | 'subject' | 'kind' | 'erasedAt'>;
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
  const kind = kindOf(account.kind);
  return {
    type,
    timestamp: event.createdAt.toISOString(),
    data: {
      user_id: event.account,
      issuer,
      subject,
      owner_kind: kind,
      organization_id: kind === 'organization' ? subject : null,
      by: event.actor ?? 'owner',
      member_id: event.member ?? null,
      reason: event.reason ?? null,
      changes: JSON.parse(event.details ?? '[]'),
      ...(subjectOf(type) === 'api-key' && key),
    },
  };
}
