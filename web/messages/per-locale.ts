import type { Language } from './language.ts';

/** Makes what depends on the locale, such as a format, once for each locale of a page. */
export function perLocale<Made>(make: (locale: string) => Made): (language: Language) => Made {
  const made = new Map<string, Made>();
  return ({ locale }) => {
    const known = made.get(locale);
    if (known !== undefined) return known;
    const next = make(locale);
    made.set(locale, next);
    return next;
  };
}
