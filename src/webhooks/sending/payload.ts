import { type About, type WebhookAction, webhookEvents } from '../../config/values/webhook-events.ts';
import type { Account, ApiKey, WebhookEvent } from '../../database/tables.ts';

/** The subjects of an event: its account, and its API key if it has one. */
export interface Subjects {
  readonly account: Pick<Account, 'issuer' | 'subject' | 'erasedAt'>;
  readonly apiKey: Pick<ApiKey, 'keyPrefix' | 'name' | 'expiresAt'> | undefined;
}

/** The message that the service sends for an event. */
interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const isTold = (action: string): action is WebhookAction => Object.hasOwn(webhookEvents, action);

/** The event type of an action; undefined for an action without webhooks. */
export const kindOf = (action: string): { readonly type: string; readonly about: About } | undefined =>
  isTold(action) ? webhookEvents[action] : undefined;

/**
 * Makes the message of an event, in REST's names. It contains no secret.
 * @throws {TypeError} for an action without webhooks
 */
export function messageOf(event: WebhookEvent, { account, apiKey }: Subjects): Message {
  const kind = kindOf(event.action);
  if (!kind) throw new TypeError(`${event.action} is told to nobody`);
  const key = {
    key_id: event.target ?? null,
    key_prefix: apiKey?.keyPrefix ?? null,
    name: apiKey?.name ?? null,
    expires_at: apiKey?.expiresAt?.toISOString() ?? null,
  };
  // Nobody learns any more to whom an erased account belonged.
  const { issuer, subject } = account.erasedAt ? { issuer: null, subject: null } : account;
  return {
    type: kind.type,
    timestamp: event.createdAt.toISOString(),
    data: {
      user_id: event.account,
      issuer,
      subject,
      by: event.actor ?? 'owner',
      reason: event.reason ?? null,
      changes: JSON.parse(event.details ?? '[]'),
      ...(kind.about === 'api-key' && key),
    },
  };
}
