import type { HostSettings } from '../console/ui/host.ts';
import { fetchInTime } from '../shared/fetch-in-time.ts';

/** Where Keyward is: this file comes from `/elements/`. */
const base = new URL(/* @vite-ignore */ '..', import.meta.url);

/** The URL of a path of Keyward's. */
export const urlOf = (path: string): string => new URL(path, base).href;

/** Keyward's origin. */
export const { origin } = base;

const describe = (): Promise<Response> => fetchInTime(urlOf('elements/keyward.json'));

let known: Promise<HostSettings> | undefined;

/**
 * What the elements need to know of the service; fetched once.
 * @throws {Error} with a sentence for a person
 */
export function readSettings(): Promise<HostSettings> {
  known ??= describe().then(async (response) => {
    if (!response.ok) throw new Error('Keyward is not available right now. Try again in a moment.');
    return (await response.json()).settings as HostSettings;
  });
  known.catch(() => {
    known = undefined;
  });
  return known;
}

/**
 * Explains why a request got no response: a browser does not tell a page whether the service is away or does not allow
 * this page. Any page may read what the elements know of the service.
 */
export async function explain(error: unknown): Promise<unknown> {
  const isRefused =
    location.origin !== origin &&
    error instanceof Error &&
    error.cause instanceof TypeError &&
    (await describe().then(
      ({ ok }) => ok,
      () => false,
    ));
  if (!isRefused) return error;
  return new Error(
    `Keyward does not accept requests from this page: CORS_ORIGINS lacks ${location.origin}.`,
    {
      cause: error,
    },
  );
}
