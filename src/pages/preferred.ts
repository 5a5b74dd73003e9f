import Negotiator from 'negotiator';
import type { RequestHeaders } from '../http/exchange.ts';

/** The most characters of a preference that count: a browser sends some hundred. */
const most = 500;

/** The language of a tag: `de-AT` → `de`. */
const languageOf = (locale: string): string => new Intl.Locale(locale).language;

/**
 * The locale that a browser prefers (RFC 9110, section 12.5.4), by its tag or its language alone; the first, if it
 * prefers none of them; undefined, if there is none.
 */
export function preferred(headers: RequestHeaders, locales: readonly string[]): string | undefined {
  const [first, ...others] = locales;
  const asked = headers['accept-language'];
  if (others.length === 0 || !asked) return first;
  const byLanguage = new Map(locales.map((locale) => [languageOf(locale), locale] as const).toReversed());
  const negotiator = new Negotiator({ headers: { 'accept-language': asked.slice(0, most) } });
  const found = negotiator.language([...locales, ...byLanguage.keys()]) ?? '';
  return locales.includes(found) ? found : (byLanguage.get(found) ?? first);
}
