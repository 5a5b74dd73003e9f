import Negotiator from 'negotiator';
import type { RequestHeaders } from '../http/exchange.ts';

/** The most characters of a preference that count: a browser sends some hundred. */
const most = 500;

/** The language of a tag: `de-AT` → `de`. */
const languageOf = (locale: string): string => new Intl.Locale(locale).language;

/**
 * Finds the locale that a browser prefers (RFC 9110, section 12.5.4), by its tag or its language alone; the first, if
 * it prefers none of them; undefined, if there is none.
 */
export function preferredOf(locales: readonly string[]): (headers: RequestHeaders) => string | undefined {
  const [first, ...others] = locales;
  if (others.length === 0) return () => first;
  const languages = locales.map((locale) => [languageOf(locale), locale] as const).toReversed();
  const byTag = new Map([...languages, ...locales.map((locale) => [locale, locale] as const)]);
  const tags = [...locales, ...byTag.keys()];
  return ({ 'accept-language': asked }) => {
    if (!asked) return first;
    const negotiator = new Negotiator({ headers: { 'accept-language': asked.slice(0, most) } });
    return byTag.get(negotiator.language(tags) ?? '') ?? first;
  };
}
