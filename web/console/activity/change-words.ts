import { absolute, duration } from '../../shared/times.ts';
import { quotaInWords, type Refill, rateInWords } from '../keys/limits-in-words.ts';
import type { AuditEvent } from './name-events.ts';

/** The label of a changed field, and its values in words. */
interface Part {
  readonly label: string;
  readonly words: (value: unknown) => string;
  /** Whether the old value is left out because it tells nothing. */
  readonly isNewEachTime?: boolean;
}

/** A value in words, or `none` if there is no value. */
const orElse =
  (none: string, words: (value: NonNullable<unknown>) => string) =>
  (value: unknown): string =>
    value === null || value === undefined ? none : words(value);

const moment = (value: NonNullable<unknown>) => absolute(new Date(`${value}`));

const rate = (value: NonNullable<unknown>) => {
  const { limit, window_seconds: windowSeconds } = value as { limit: number; window_seconds: number };
  return rateInWords({ limit, windowSeconds });
};

const quota = (value: NonNullable<unknown>) => {
  const { limit, refill } = value as { limit: number; refill: string };
  return quotaInWords({ limit, refill: refill.toUpperCase() as Refill });
};

const parts: Readonly<Record<string, Part>> = {
  name: { label: 'Name', words: orElse('none', String) },
  secret_prefix: { label: 'Secret', words: orElse('ended', String) },
  expires_at: { label: 'Expires', words: orElse('never', moment) },
  rate_limit: { label: 'Rate limit', words: orElse('none', rate) },
  quota: { label: 'Quota', words: orElse('none', quota) },
  key_prefix: { label: 'Prefix', words: orElse('unknown', String) },
  previous_works_until: {
    label: 'Previous secret works',
    words: orElse('no longer', (value) => `until ${moment(value)}`),
    isNewEachTime: true,
  },
  pause_reason: { label: 'Reason', words: orElse('none', String), isNewEachTime: true },
  leaked_url: { label: 'Found at', words: orElse('unknown', String), isNewEachTime: true },
  delivery_id: { label: 'Delivery', words: String, isNewEachTime: true },
  host: { label: 'Host', words: orElse('none', String), isNewEachTime: true },
  is_paused: { label: 'Paused', words: (value) => (value === true ? 'yes' : 'no') },
  previous_sign_until: {
    label: 'Previous secrets sign',
    words: orElse('no longer', (value) => `until ${moment(value)}`),
    isNewEachTime: true,
  },
  is_enabled: { label: 'Automation', words: orElse('not set', (value) => (value === true ? 'on' : 'off')) },
  session_duration: {
    label: 'Session length',
    words: orElse('not set', (value) => duration(Number(value))),
  },
};

/** Lists: the page says which items were added and removed. */
const lists: Readonly<Record<string, string>> = {
  permissions: 'Permissions',
  allowed_addresses: 'Allowed IP addresses',
  events: 'Events',
};

/** Fields that the sentence of the event already tells. */
const saidAbove: readonly string[] = ['default_key_id', 'is_active', 'paused_at', 'paused_by'];

/** Further fields that tell nothing new with an action. */
const saidWith: Readonly<Record<string, string>> = {
  'api-key-renamed': 'name',
  // What was the reason no longer matters.
  'api-key-resumed': 'pause_reason',
};

/** A change in words. */
export type ChangeWords =
  | { readonly label: string; readonly to: string; readonly from?: string }
  | {
      readonly label: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly isNew: boolean;
    };

/** Whether the service kept only the beginning of a value, as JSON, because it was too long. */
const isCut = (value: unknown): value is { readonly starts: string } =>
  typeof value === 'object' && value !== null && 'starts' in value;

const inWords = (value: unknown, words: Part['words']): string =>
  isCut(value) ? `${value.starts.replace(/^"/, '')}…` : words(value);

const itemsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * Describes what an event changed. A field that this page does not know has the service's name.
 * @param event for a new key, old values are left out
 */
export function describeChanges({ action, changes }: Pick<AuditEvent, 'action' | 'changes'>): ChangeWords[] {
  const isNew = action.endsWith('-created');
  const alsoSaid = isNew ? 'name' : saidWith[action];
  return changes
    .filter(({ field }) => !saidAbove.includes(field) && field !== alsoSaid)
    .map(({ field, from, to }) => {
      const list = lists[field];
      if (list !== undefined) return { label: list, ...describeList(from, to, isNew) };
      // The audit trail keeps neither value.
      if (field === 'metadata') return { label: 'Metadata', to: isNew ? 'set' : 'changed' };
      const { label, words, isNewEachTime = isNew } = parts[field] ?? unknownPart(field);
      return { label, to: inWords(to, words), ...(!isNewEachTime && { from: inWords(from, words) }) };
    });
}

/** What was added to a list and removed from it. If only its beginning is kept: that it changed. */
function describeList(from: unknown, to: unknown, isNew: boolean) {
  if (isCut(from) || isCut(to))
    return { to: isNew ? 'too many to show here' : 'changed, but too long to show here' };
  return { ...difference(itemsOf(from), itemsOf(to)), isNew };
}

const difference = (from: readonly string[], to: readonly string[]) => ({
  added: to.filter((item) => !from.includes(item)),
  removed: from.filter((item) => !to.includes(item)),
});

const unknownPart = (field: string): Part => ({
  label: field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' '),
  words: orElse('none', (value) => (typeof value === 'object' ? JSON.stringify(value) : `${value}`)),
});

/** What happened to a key that was found in public and, if it still works, what its owner must do. */
export function describeLeak({ changes }: Pick<AuditEvent, 'changes'>): string {
  const hasEnded = (part: string) => changes.some(({ field }) => field === part);
  if (hasEnded('is_active')) return 'was found in public and deactivated';
  if (hasEnded('paused_by')) return 'was found in public and paused: rotate it, then resume it';
  return hasEnded('previous_works_until')
    ? 'had a previous secret that was found in public and no longer works'
    : 'was found in public: rotate it now';
}
