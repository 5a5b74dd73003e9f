import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { PagesConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { describeFault } from '../../config/cross-checks.ts';
import { arePagesBuilt, builtMessages } from '../page-files.ts';
import { argumentsOf, type CompiledMessage, compileMessage, usesIn } from './compile-message.ts';

/** The language of messages that no other has, by its file. */
export const english = 'en';

/** Messages by their ids, not compiled. */
type Texts = Readonly<Record<string, string>>;

/** The texts that the pages show, by the tags of their languages (BCP 47). */
export type PageMessages = ReadonlyMap<string, Texts>;

/** The most bytes of a provider's file: ten times what all texts of a language have. */
const mostBytes = 512 * 1024;

const fileSchema = z.record(z.string(), z.string());

/** The name of a file without its ending, if it is a language tag in its usual form. */
function languageOf(name: string): string | undefined {
  const [, tag] = /^(.+)\.json$/.exec(name) ?? [];
  try {
    return tag !== undefined && Intl.getCanonicalLocales(tag)[0] === tag ? tag : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with a text in place of another; undefined: nothing. */
function faultOf(id: string, text: string, replaced: string | undefined): string | undefined {
  if (replaced === undefined) return `has no text to replace: "${id}"`;
  let compiled: CompiledMessage;
  try {
    compiled = compileMessage(text);
  } catch (error) {
    return `has a text that is no ICU message: "${id}" (${(error as Error).message})`;
  }
  const given = argumentsOf(compileMessage(replaced));
  for (const [name, kind] of usesIn(compiled)) {
    const known = given.get(name);
    const fits = known === kind || (known === 'number' && kind === 'text');
    if (!fits) return `uses something that the text does not get: "${id}" has no such ${kind} "${name}"`;
  }
  return undefined;
}

/** Reads a file, or says what is wrong with it. */
function readFile(path: string, texts: Texts): Texts | string {
  if (statSync(path).size > mostBytes) return `has more than ${mostBytes} bytes`;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return 'is no JSON';
  }
  const { data } = fileSchema.safeParse(content);
  if (!data) return 'is no object with texts alone';
  const faults = Object.entries(data).map(([id, text]) =>
    faultOf(id, text, Object.hasOwn(texts, id) ? texts[id] : undefined),
  );
  return faults.find((fault) => fault !== undefined) ?? data;
}

const refuse = (
  fault: string,
  name: 'PROVIDER_MESSAGES' | 'CONSOLE_LOCALES' = 'PROVIDER_MESSAGES',
): never => {
  throw new ConfigError([describeFault([name, fault])]);
};

/** The names of the files in a folder. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return refuse(`names a folder that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The provider's own texts. What has another name than that of a language is none of ours. */
function readOwn(folder: string, texts: Texts): PageMessages {
  const own = new Map<string, Texts>();
  for (const name of list(folder).filter((each) => each.endsWith('.json'))) {
    const language = languageOf(name) ?? refuse(`has a file whose name is no language: ${name}`);
    const found = readFile(join(folder, name), texts);
    own.set(
      language,
      typeof found === 'string' ? refuse(`has a file that cannot be used: ${name} ${found}`) : found,
    );
  }
  return own;
}

/** Adds the provider's own texts to Keyward's. */
function addOwn(built: PageMessages, folder: string): PageMessages {
  const own = readOwn(folder, built.get(english) ?? {});
  const languages = new Set([...built.keys(), ...own.keys()]);
  return new Map([...languages].map((tag) => [tag, { ...built.get(tag), ...own.get(tag) }]));
}

/** The tag and all that are more general: `de-AT`, `de` (RFC 4647, section 3.4). */
export function* lookUp(tag: string): Generator<string> {
  const parts = tag.split('-');
  for (let count = parts.length; count > 0; count -= 1) yield parts.slice(0, count).join('-');
}

/**
 * Reads the texts that the pages show: Keyward's, and in place of some of them the provider's own.
 * @param pages the folder of PROVIDER_MESSAGES, with a file such as `de.json` for each language, and the languages of
 *   the console
 * @throws {ConfigError} that names the file and what is wrong with it, or a language of the console without texts
 */
export function readMessages({
  providerMessages,
  consoleLocales = [],
}: Partial<Pick<PagesConfig, 'providerMessages' | 'consoleLocales'>>): PageMessages {
  if (!arePagesBuilt()) return new Map();
  const built = builtMessages();
  const all = providerMessages === undefined ? built : addOwn(built, providerMessages);
  // Words of one language with the dates of another would read badly.
  const lacked = consoleLocales.find((locale) => ![...lookUp(locale)].some((tag) => all.has(tag)));
  if (lacked !== undefined)
    refuse(
      `names a language that has no texts: ${lacked}. Add them to PROVIDER_MESSAGES as ${new Intl.Locale(lacked).language}.json`,
      'CONSOLE_LOCALES',
    );
  return all;
}
