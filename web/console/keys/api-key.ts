import type { ResultOf } from 'gql.tada';
import type { Language } from '../../messages/language.ts';
import type { apiKeysQuery } from './documents.ts';

/** An API key as the console shows it. */
export type ApiKey = ResultOf<typeof apiKeysQuery>['apiKeys']['edges'][number]['node'];

/** The state of a key: only an `active` key is valid. */
export type ApiKeyState = 'active' | 'paused' | 'expired' | 'deactivated';

/** The state of a key at a given time. An expired key still has `isActive`, unless somebody deactivated it. */
export function stateOf(
  { isActive, expiresAt, pausedAt }: Pick<ApiKey, 'isActive' | 'expiresAt' | 'pausedAt'>,
  now: Date,
): ApiKeyState {
  if (!isActive) return 'deactivated';
  if (expiresAt !== null && new Date(expiresAt) <= now) return 'expired';
  return pausedAt === null ? 'active' : 'paused';
}

/** Whether a key in this state can be changed: it works, or will work when it is resumed. */
export const canChange = (state: ApiKeyState): boolean => state === 'active' || state === 'paused';

/** How long before its expiry the console warns about a key, in milliseconds: 14 days. */
const warnedOf = 14 * 86_400_000;

/** Whether a key that works, or may be resumed, is about to expire. */
export const expiresSoon = (key: ApiKey, now: Date): boolean =>
  canChange(stateOf(key, now)) &&
  key.expiresAt !== null &&
  Date.parse(key.expiresAt) - now.getTime() < warnedOf;

/** The name of a key, or its id if it has no name. */
export const nameOf = (
  { text }: Language,
  { id, name }: { readonly id: number; readonly name: string | null },
): string => name ?? text('keys.unnamed', { id });

/** The id in an address; undefined if it is none. */
export const idIn = (text: string): number | undefined =>
  /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;

/** The address of a key's page. */
export const pageOf = ({ id }: { readonly id: number }): string => `#keys/${id}`;

/** The id of a key's heading on the page. */
export const headingId = ({ id }: { readonly id: number }): string => `api-key-${id}`;
