import english from '../messages/en/sign-in.json';
import { createLanguage, type Language } from '../messages/language.ts';

/** English, for pages that show nothing in another language but the bar at the top. */
let language = createLanguage('en-GB', english);

/** The language of this page, which has one alone. */
export const pageLanguage = (): Language => language;

/** Sets the language of this page, before anything is shown. */
export function speak(next: Language): void {
  language = next;
  document.documentElement.lang = next.locale;
}
