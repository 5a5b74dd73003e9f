import { hash } from 'node:crypto';
import type { Compressible } from '../../http/compressible.ts';
import { compressWell } from '../compress-well.ts';
import { compileMessage } from './compile-message.ts';
import { english, lookUp, type PageMessages } from './read-messages.ts';

/** A part of the texts of a language, as a page loads it. */
export interface MessageFile extends Compressible {
  /** The tag of the language (BCP 47). */
  readonly language: string;
  /** Changes with the content. */
  readonly hash: string;
}

/** How a language tag looks, and how long it can be at most. */
export const tagPattern = '[A-Za-z\\d-]{2,35}';

/** Texts that are loaded together, by how their ids begin. What is in `main` is needed at once. */
const parts = {
  main: /^(?:automation|common|console|keys|private-key|sign-in)\./,
  key: /^(?:activity|key|usage)\./,
  operate: /^operate\./,
  said: /^said\./,
} as const;

/** Texts that are loaded together: for the first view, for the page of a key, for operators, or what the API says. */
export type MessagePart = keyof typeof parts;

/** The names of all parts. */
export const messageParts = Object.keys(parts) as readonly MessagePart[];

/** The parts that a page loads when it needs them. */
export const laterParts = messageParts.filter((part) => part !== 'main');

/** The ids of texts in `main` that only the console has, as they begin. */
const consoleAlone = /^(?:automation|console|private-key|sign-in)\./;

/**
 * Makes the files of texts, each when it is first needed.
 * @param isForElements whether they are for the elements in pages of others, which show a part of the console
 */
export function createMessageFiles(messages: PageMessages, isForElements: boolean) {
  const made = new Map<string, Promise<MessageFile>>();

  const make = async (language: string, part: MessagePart): Promise<MessageFile> => {
    // A text that a language lacks comes from a more general one, or is in English.
    const layers = [english, ...[...lookUp(language)].toReversed()];
    const texts = Object.assign({}, ...layers.map((tag) => messages.get(tag))) as Record<string, string>;
    const compiled = Object.entries(texts)
      .filter(([id]) => parts[part].test(id) && !(isForElements && consoleAlone.test(id)))
      // A page shows what the API says as it is, unless there is another text for it.
      .filter(([id, text]) => id !== `said.${text}`)
      .map(([id, text]) => [id, compileMessage(text)]);
    const body = JSON.stringify({ language, messages: Object.fromEntries(compiled) });
    return {
      ...(await compressWell(Buffer.from(body), 11)),
      language,
      hash: hash('sha256', body, 'base64url').slice(0, 16),
    };
  };

  /** A part of the texts, in the language that fits a tag best; in English, if none does. */
  return (tag: string, part: MessagePart): Promise<MessageFile> => {
    const language = [...lookUp(tag)].find((each) => messages.has(each)) ?? english;
    const name = `${language} ${part}`;
    const file = made.get(name) ?? make(language, part);
    made.set(name, file);
    file.catch(() => made.delete(name));
    return file;
  };
}

/** Finds the texts in a language. */
export type MessageFiles = ReturnType<typeof createMessageFiles>;
