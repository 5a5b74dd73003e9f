import { fetchInTime } from '../../shared/fetch-in-time.ts';
import { urlOf } from '../../shared/place.ts';
import type { Description } from './openapi.ts';

let loaded: Promise<Description> | undefined;

async function load(): Promise<Description> {
  const response = await fetchInTime(urlOf('api/v1/openapi.json'), {}, 'Try again in a moment.');
  if (!response.ok) throw new Error(`Keyward responded with ${response.status}. Try again in a moment.`);
  return response.json();
}

/**
 * Loads the API description of this service, once.
 * @throws {Error} with a sentence for a person; the next call tries again
 */
export function loadDescription(): Promise<Description> {
  loaded ??= load().catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}
