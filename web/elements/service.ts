import { Problem } from '../console/api/problem.ts';
import type { HostSettings } from '../console/ui/host.ts';
import { createLanguage, type Language, type LaterPart } from '../messages/language.ts';
import type { LoadedMessages } from '../messages/load-messages.ts';
import { fetchInTime, NoResponse } from '../shared/fetch-in-time.ts';
import { origin, urlOf } from '../shared/place.ts';

/** Answers by their paths, each fetched once. */
const known = new Map<string, Promise<unknown>>();

/**
 * Fetches a part of what the elements need, once.
 * @throws {Error} with a sentence for a person; then it is fetched again the next time
 */
function fetchOnce<Answer>(path: string): Promise<Answer> {
  const answer =
    known.get(path) ??
    fetchInTime(urlOf(path), {}, 'Try again in a moment.').then((response) => {
      if (response.ok) return response.json();
      throw new Error('Keyward is not available right now. Try again in a moment.');
    });
  known.set(path, answer);
  answer.catch(() => known.delete(path));
  return answer as Promise<Answer>;
}

/** The language of the texts if the page names none, and of numbers and times in them. */
const usual = 'en-GB';

/** A language tag in its usual form; that of English if it is none (BCP 47). */
function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? usual;
  } catch {
    return usual;
  }
}

/** What the elements need to know of the service. */
export const readSettings = async (): Promise<HostSettings> =>
  (await fetchOnce<{ readonly settings: HostSettings }>('elements/keyward.json')).settings;

/**
 * The language of an element.
 * @param tag a language tag; what is none counts as English
 */
export async function readLanguage(tag: string): Promise<Language> {
  const asked = canonical(tag || usual);
  const load = (part: 'main' | LaterPart) =>
    fetchOnce<LoadedMessages>(`elements/messages/${new Intl.Locale(asked).baseName}/${part}.json`);
  const { language, messages } = await load('main');
  // Words of one language with the dates of another would read badly.
  const isTheirs = new Intl.Locale(asked).language === new Intl.Locale(language).language;
  return createLanguage(isTheirs ? asked : usual, messages, async (part) => {
    const [more] = await Promise.all([load(part), part === 'key' && import('./key-styles.ts')]);
    return more.messages;
  });
}

/**
 * Explains why a request got no response: a browser does not tell a page whether the service is away or does not allow
 * this page. Any page may read what the elements know of the service.
 */
export async function explain({ text }: Language, error: unknown): Promise<unknown> {
  const isRefused =
    location.origin !== origin &&
    error instanceof NoResponse &&
    error.cause instanceof TypeError &&
    (await fetchInTime(urlOf('elements/keyward.json')).then(
      ({ ok }) => ok,
      () => false,
    ));
  if (!isRefused) return error;
  return new Problem('network', text('common.not-allowed-here', { origin: location.origin }), {
    cause: error,
  });
}
