import type { MessageId, Messages } from '../../messages/generated/messages.d.ts';
import type { Language } from '../../messages/language.ts';
import { quotaInWords, type Refill, rateInWords } from '../keys/limits-in-words.ts';
import type { AuditEvent } from './name-events.ts';

/** The label of a changed field, and its values in words. */
interface Part {
  readonly label: (language: Language) => string;
  readonly words: Words;
  /** Whether the old value is left out because it tells nothing. */
  readonly isNewEachTime?: boolean;
}

type Words = (language: Language, value: unknown) => string;

/** The ids of messages that need no values. */
type PlainId = { [Id in MessageId]: keyof Messages[Id] extends never ? Id : never }[MessageId];

/** A value in words, or the message `none` if there is no value. */
const orElse =
  (none: PlainId, words: (language: Language, value: NonNullable<unknown>) => string): Words =>
  (language, value) =>
    value === null || value === undefined ? language.text(none) : words(language, value);

/** A value that is a text. */
const asIs = (_: Language, value: unknown): string => `${value}`;

const moment = ({ absolute }: Language, value: NonNullable<unknown>) => absolute(new Date(`${value}`));

const until = (language: Language, value: NonNullable<unknown>) =>
  language.text('activity.until', { moment: moment(language, value) });

const rate = (language: Language, value: NonNullable<unknown>) => {
  const { limit, window_seconds: windowSeconds } = value as { limit: number; window_seconds: number };
  return rateInWords(language, { limit, windowSeconds });
};

const quota = (language: Language, value: NonNullable<unknown>) => {
  const { limit, refill } = value as { limit: number; refill: string };
  return quotaInWords(language, { limit, refill: refill.toUpperCase() as Refill });
};

const names = (_: Language, value: NonNullable<unknown>) => itemsOf(value).join(', ');

const yesOrNo: Words = ({ text }, value) => text(value === true ? 'activity.yes' : 'activity.no');

const onOrOff: Words = ({ text }, value) => text(value === true ? 'activity.on' : 'activity.off');

/** A part with a message as its label. */
const part = (label: PlainId, words: Words): Part => ({ label: ({ text }) => text(label), words });

/** A part whose old value tells nothing. */
const newPart = (label: PlainId, words: Words): Part => ({ ...part(label, words), isNewEachTime: true });

const parts: Readonly<Record<string, Part>> = {
  name: part('activity.name', orElse('activity.no-name', asIs)),
  secret_prefix: part('activity.secret', orElse('activity.no-secret', asIs)),
  expires_at: part('activity.expires', orElse('activity.expires-never', moment)),
  rate_limit: part('activity.rate-limit', orElse('activity.no-rate-limit', rate)),
  quota: part('activity.quota', orElse('activity.no-quota', quota)),
  key_prefix: part('activity.prefix', orElse('activity.unknown', asIs)),
  previous_works_until: newPart('activity.previous-works', orElse('activity.no-longer', until)),
  pause_reason: newPart('activity.reason', orElse('activity.no-reason', asIs)),
  leaked_url: newPart('activity.found-at', orElse('activity.unknown', asIs)),
  delivery_id: newPart('activity.delivery', asIs),
  host: newPart('activity.host', orElse('activity.no-host', asIs)),
  is_paused: part('activity.paused', yesOrNo),
  previous_sign_until: newPart('activity.previous-sign', orElse('activity.no-longer', until)),
  is_enabled: part('activity.automation', orElse('activity.not-set', onOrOff)),
  session_duration: part(
    'activity.session-length',
    orElse('activity.not-set', ({ duration }, value) => duration(Number(value))),
  ),
  // The filter with which somebody read the trail of all accounts.
  action: newPart('activity.read-actions', orElse('activity.no-value', names)),
  user_id: newPart('activity.read-account', asIs),
  actor: newPart('activity.read-actor', asIs),
  key_id: newPart('activity.read-key', asIs),
  from: newPart('activity.read-from', orElse('activity.no-value', moment)),
  to: newPart('activity.read-to', orElse('activity.no-value', moment)),
  count: newPart('activity.read-count', ({ number }, value) => number(Number(value))),
};

/** Lists: the page says which items were added and removed. */
const lists: Readonly<Record<string, PlainId>> = {
  permissions: 'activity.permissions',
  allowed_addresses: 'activity.allowed-addresses',
  events: 'activity.events',
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

const inWords = (language: Language, value: unknown, words: Words): string =>
  isCut(value) ? `${value.starts.replace(/^"/, '')}…` : words(language, value);

const itemsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * Describes what an event changed. A field that this page does not know has the service's name.
 * @param event for a new key, old values are left out
 */
export function describeChanges(
  language: Language,
  { action, changes }: Pick<AuditEvent, 'action' | 'changes'>,
): ChangeWords[] {
  const { text } = language;
  const isNew = action.endsWith('-created');
  const alsoSaid = isNew ? 'name' : saidWith[action];
  return changes
    .filter(({ field }) => !saidAbove.includes(field) && field !== alsoSaid)
    .map(({ field, from, to }) => {
      const list = lists[field];
      if (list !== undefined) return { label: text(list), ...describeList(language, from, to, isNew) };
      // The audit trail keeps neither value.
      if (field === 'metadata')
        return { label: text('activity.metadata'), to: text(isNew ? 'activity.set' : 'activity.changed') };
      const { label, words, isNewEachTime = isNew } = parts[field] ?? unknownPart(field);
      return {
        label: label(language),
        to: inWords(language, to, words),
        ...(!isNewEachTime && { from: inWords(language, from, words) }),
      };
    });
}

/** What was added to a list and removed from it. If only its beginning is kept: that it changed. */
function describeList({ text }: Language, from: unknown, to: unknown, isNew: boolean) {
  if (isCut(from) || isCut(to)) return { to: text(isNew ? 'activity.too-many' : 'activity.too-long') };
  return { ...difference(itemsOf(from), itemsOf(to)), isNew };
}

const difference = (from: readonly string[], to: readonly string[]) => ({
  added: to.filter((item) => !from.includes(item)),
  removed: from.filter((item) => !to.includes(item)),
});

const unknownPart = (field: string): Part => ({
  label: () => field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' '),
  words: orElse('activity.no-value', (_, value) =>
    typeof value === 'object' ? JSON.stringify(value) : `${value}`,
  ),
});

/**
 * What happened to a key that was found in public and, if it still works, what its owner must do.
 * @returns the id of the sentence
 */
export function describeLeak({ changes }: Pick<AuditEvent, 'changes'>) {
  const hasEnded = (field: string) => changes.some((change) => change.field === field);
  if (hasEnded('is_active')) return 'activity.key-leaked-deactivated';
  if (hasEnded('paused_by')) return 'activity.key-leaked-paused';
  return hasEnded('previous_works_until') ? 'activity.key-leaked-previous' : 'activity.key-leaked';
}
