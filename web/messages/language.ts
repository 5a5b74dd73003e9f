import { IntlMessageFormat } from 'intl-messageformat';
import type { ReactNode } from 'preact/compat';
import type { CompiledMessage, CompiledMessages } from './compiled-message.ts';
import type { MessageId, Messages } from './generated/messages.d.ts';
import { createTimes, type Times } from './times.ts';
import type { Tag, Value } from './values.ts';

/** What a message as a text needs. One with tags has no text. */
type TextValues<Id extends MessageId> =
  Extract<Messages[Id][keyof Messages[Id]], Tag> extends never ? Messages[Id] : never;

/** What a message as elements needs: a name may be an element too. */
type RichValues<Id extends MessageId> = {
  readonly [Name in keyof Messages[Id]]: Value extends Messages[Id][Name] ? ReactNode : Messages[Id][Name];
};

/** Nothing, if a message has no arguments. */
type Needed<Values> = keyof Values extends never ? [] : [values: Values];

/** Texts that are loaded when they are needed: for the page of a key, for operators, or what the API says. */
export type LaterPart = 'key' | 'operate' | 'said';

/** Whether texts are there: true, false if it could not be loaded, or a promise that tells later. */
type Readiness = boolean | Promise<unknown>;

/** What writes texts, numbers and times in a person's language. */
export interface Language extends Times {
  /** A language tag (BCP 47): that of numbers and times. */
  readonly locale: string;
  /** A message as a text. */
  readonly text: <Id extends MessageId>(id: Id, ...values: Needed<TextValues<Id>>) => string;
  /** A message as a node, in which values may be elements. */
  readonly rich: <Id extends MessageId>(id: Id, ...values: Needed<RichValues<Id>>) => ReactNode;
  /** Loads a part of the texts, once. */
  readonly ready: (part: LaterPart) => Readiness;
  /** A sentence of the service in this language, or as it is if there is no message for it. */
  readonly said: (sentence: string) => string;
  /** `1,000,000`. */
  readonly number: (count: number) => string;
  /** `1.2M`. */
  readonly compact: (count: number) => string;
  /** Compares names as people order them: `key 9` comes before `key 10`. */
  readonly compare: (one: string, other: string) => number;
}

/** Numbers in a sentence of the service, which are arguments of its text. */
const numerals = /\d+/g;

/** Reads a sentence of the service: `At most 5 keys.` has the text `said.At most {0} keys.`. */
function readSentence(sentence: string): readonly [id: string, values: Record<string, string>] {
  const found = sentence.match(numerals) ?? [];
  let count = 0;
  const id = sentence.replace(numerals, () => `{${count++}}`);
  return [`said.${id}`, Object.fromEntries(found.map((digits, index) => [index, digits]))];
}

/** Loads parts of the texts, each once. */
function createParts(
  load: (part: LaterPart) => Promise<CompiledMessages>,
  add: (messages: CompiledMessages) => void,
): Language['ready'] {
  const parts = new Map<LaterPart, Readiness>();
  return (part) => {
    const known = parts.get(part);
    if (known !== undefined) return known;
    const loading = load(part).then(
      (messages) => {
        add(messages);
        parts.set(part, true);
      },
      () => {
        // What the API says is shown as it is meanwhile, and asked for again.
        if (part === 'said') parts.delete(part);
        else parts.set(part, false);
      },
    );
    parts.set(part, loading);
    return loading;
  };
}

/**
 * Makes a language.
 * @param locale a language tag that browsers know (BCP 47)
 * @param main the texts of the first view
 * @param load loads another part
 */
export function createLanguage(
  locale: string,
  main: CompiledMessages,
  load: (part: LaterPart) => Promise<CompiledMessages> = async () => ({}),
): Language {
  const messages: Record<string, CompiledMessage> = { ...main };
  const made = new Map<string, IntlMessageFormat>();
  const write = (id: string, message: CompiledMessage | undefined, values?: object): ReactNode => {
    // Only a message of another version of the service could be missing.
    if (message === undefined) return id;
    if (typeof message === 'string') return message;
    const format = made.get(id) ?? new IntlMessageFormat(message, locale);
    made.set(id, format);
    return format.format<ReactNode>(values as Record<string, string>) as ReactNode;
  };
  const find = (id: string) => (Object.hasOwn(messages, id) ? messages[id] : undefined);
  const numbers = new Intl.NumberFormat(locale);
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const names = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  return {
    locale,
    ready: createParts(load, (more) => Object.assign(messages, more)),
    text: (id, ...[values]) => `${write(id, find(id), values)}`,
    rich: (id, ...[values]) => write(id, find(id), values),
    said: (sentence) => {
      const [id, values] = readSentence(sentence);
      const message = find(id);
      return message === undefined ? sentence : `${write(id, message, values)}`;
    },
    number: (count) => numbers.format(count),
    compact: (count) => short.format(count),
    compare: (one, other) => names.compare(one, other) || (one < other ? -1 : Number(one > other)),
    ...createTimes(locale, (id) => `${write(id, find(id))}`),
  };
}
