import { type About, type WebhookAction, webhookEvents } from '../config/webhook-events.ts';
import type { Account, ApiKey, WebhookEvent } from '../database/tables.ts';

/** What an event is about: its account, and its API key where it has one. */
export interface Subjects {
  readonly account: Pick<Account, 'issuer' | 'subject' | 'erasedAt'>;
  readonly apiKey: Pick<ApiKey, 'keyPrefix' | 'name' | 'expiresAt'> | undefined;
}

/** What is sent of an event. */
interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const isTold = (action: string): action is WebhookAction => Object.hasOwn(webhookEvents, action);

/** What an event is to receivers; undefined for what they are not told of. */
export const kindOf = (action: string): { readonly type: string; readonly about: About } | undefined =>
  isTold(action) ? webhookEvents[action] : undefined;

/**
 * The message of an event, in REST's names: nothing in it is a secret.
 * @throws {TypeError} where receivers are not told of such events
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
  // Of an account that was erased, nobody is told any more whose it was.
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
