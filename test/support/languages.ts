import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileMessage } from '../../src/pages/messages/compile-message.ts';
import { createLanguage } from '../../web/messages/language.ts';
import { root } from './process.ts';

/** The texts of a language, by their ids, as they stand in the source. */
export const textsOf = (language: string): Record<string, string> =>
  Object.assign(
    {},
    ...globSync(`web/messages/${language}/*.json`, { cwd: root }).map((file) =>
      JSON.parse(readFileSync(join(root, file), 'utf8')),
    ),
  );

/** A language with all texts of the pages. */
const languageWith = (language: string, locale: string) =>
  createLanguage(
    locale,
    Object.fromEntries(Object.entries(textsOf(language)).map(([id, text]) => [id, compileMessage(text)])),
  );

/** English, as the console writes it unless it is told otherwise. */
export const english = languageWith('en', 'en-GB');

/** German. */
export const german = languageWith('de', 'de');
