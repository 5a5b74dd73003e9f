import { listOf } from './kinds.ts';

/** A language tag in its usual form, in which `Intl` can write numbers and dates (BCP 47). */
function isLocale(tag: string): boolean {
  try {
    return (
      Intl.getCanonicalLocales(tag)[0] === tag && Intl.DateTimeFormat.supportedLocalesOf(tag).length === 1
    );
  } catch {
    return false;
  }
}

/** What is unmistakable for people of most countries: `21 Nov 2026`. */
export const usualLocale = 'en-GB';

/** The most languages of the console. */
const most = 50;

/** A list of language tags, each once. */
export const locales = listOf(isLocale, 'must be language tags, separated by commas: en-GB,de,pt-BR').refine(
  (tags) => tags.length > 0 && tags.length <= most && new Set(tags).size === tags.length,
  `must be 1 to ${most} language tags, each once`,
);
