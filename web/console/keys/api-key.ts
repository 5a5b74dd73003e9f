import type { ResultOf } from 'gql.tada';
import type { apiKeysQuery } from './documents.ts';

/** An API key as the console shows it. */
export type ApiKey = ResultOf<typeof apiKeysQuery>['apiKeys']['edges'][number]['node'];

/** What a key can be: only an `active` one verifies. */
export type ApiKeyState = 'active' | 'expired' | 'deactivated';

/** The state of a key at a moment. The service calls an expired key active: that tells whether it was deactivated. */
export function stateOf({ isActive, expiresAt }: ApiKey, now: Date): ApiKeyState {
  if (!isActive) return 'deactivated';
  return expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : 'active';
}

/** How long before its end a key is warned of, in milliseconds: 14 days. */
const warnedOf = 14 * 86_400_000;

/** Whether an active key is about to expire. */
export const expiresSoon = (key: ApiKey, now: Date): boolean =>
  stateOf(key, now) === 'active' &&
  key.expiresAt !== null &&
  Date.parse(key.expiresAt) - now.getTime() < warnedOf;

/** What to call a key: its name, or its number where it has none. */
export const nameOf = ({ id, name }: { readonly id: number; readonly name: string | null }): string =>
  name ?? `API key ${id}`;

/** The id of a key's heading on the page. */
export const headingId = ({ id }: { readonly id: number }): string => `api-key-${id}`;
