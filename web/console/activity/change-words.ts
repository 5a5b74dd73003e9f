import { absolute, duration } from '../../shared/times.ts';
import { quotaInWords, type Refill, rateInWords } from '../keys/limits-in-words.ts';
import type { AuditEvent } from './name-events.ts';

/** How a part is called, and what its values are in words. */
interface Part {
  readonly label: string;
  readonly words: (value: unknown) => string;
  /** Whether what it was before says nothing. */
  readonly isNewEachTime?: boolean;
}

/** What is said of a value, and else where there is none. */
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
  expires_at: { label: 'Expires', words: orElse('never', moment) },
  rate_limit: { label: 'Rate limit', words: orElse('none', rate) },
  quota: { label: 'Quota', words: orElse('none', quota) },
  key_prefix: { label: 'Begins with', words: orElse('unknown', String) },
  previous_works_until: {
    label: 'Old secret works',
    words: orElse('no longer', (value) => `until ${moment(value)}`),
    isNewEachTime: true,
  },
  leaked_url: { label: 'Found at', words: orElse('unknown', String), isNewEachTime: true },
  delivery_id: { label: 'Delivery', words: String, isNewEachTime: true },
  host: { label: 'Host', words: orElse('none', String), isNewEachTime: true },
  is_paused: { label: 'Paused', words: (value) => (value === true ? 'yes' : 'no') },
  previous_sign_until: {
    label: 'Old secrets sign',
    words: orElse('no longer', (value) => `until ${moment(value)}`),
    isNewEachTime: true,
  },
  is_enabled: { label: 'Automation', words: orElse('not set', (value) => (value === true ? 'on' : 'off')) },
  session_duration: {
    label: 'Length of a session',
    words: orElse('not set', (value) => duration(Number(value))),
  },
};

/** Lists, of which is told what came and what went. */
const lists: Readonly<Record<string, string>> = {
  permissions: 'Permissions',
  allowed_addresses: 'Works only from',
  events: 'Events',
};

/** What the sentence above says already. */
const saidAbove: readonly string[] = ['default_key_id', 'is_active'];

/** A change in words. */
export type ChangeWords =
  | { readonly label: string; readonly to: string; readonly from?: string }
  | {
      readonly label: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly isNew: boolean;
    };

/** Of a long value, the service has kept only how its JSON begins. */
const isCut = (value: unknown): value is { readonly starts: string } =>
  typeof value === 'object' && value !== null && 'starts' in value;

const inWords = (value: unknown, words: Part['words']): string =>
  isCut(value) ? `${value.starts.replace(/^"/, '')}…` : words(value);

const itemsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * What an event has changed, in words. A part that this page does not know yet is called as the service calls it.
 * @param event a new key's parts were not anything before
 */
export function describeChanges({ action, changes }: Pick<AuditEvent, 'action' | 'changes'>): ChangeWords[] {
  const isNew = action.endsWith('-created');
  const inSentence = isNew || action === 'api-key-renamed' ? [...saidAbove, 'name'] : saidAbove;
  return changes
    .filter(({ field }) => !inSentence.includes(field))
    .map(({ field, from, to }) => {
      const list = lists[field];
      if (list !== undefined) return { label: list, ...describeList(from, to, isNew) };
      // Neither of its values is kept.
      if (field === 'metadata') return { label: 'Metadata', to: isNew ? 'something' : 'changed' };
      const { label, words, isNewEachTime = isNew } = parts[field] ?? unknownPart(field);
      return { label, to: inWords(to, words), ...(!isNewEachTime && { from: inWords(from, words) }) };
    });
}

/** What came to a list and what went; or that it did, where only its beginning is kept. */
function describeList(from: unknown, to: unknown, isNew: boolean) {
  if (isCut(from) || isCut(to))
    return { to: isNew ? 'too many to be kept here' : 'more was changed than is kept here' };
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

/** What became of a key that was found in public; of one that goes on, what its owner is to do. */
export function describeLeak({ changes }: Pick<AuditEvent, 'changes'>): string {
  const hasEnded = (part: string) => changes.some(({ field }) => field === part);
  if (hasEnded('is_active')) return 'was found in public, and ended';
  return hasEnded('previous_works_until')
    ? 'had an old secret that was found in public, and ended'
    : 'was found in public, and still works: give it a new secret';
}
