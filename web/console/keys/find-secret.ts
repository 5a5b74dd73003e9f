import { type ApiKey, canChange, stateOf } from './api-key.ts';
import { keysOfPrefix } from './choose-keys.ts';

/**
 * Whose secret a pasted text is:
 * - `current`: the current secret of a key, which works, or will when the key is resumed
 * - `previous`: a previous secret, of which the same holds
 * - `over`: the last secret of a key that is inactive or has expired
 * - `several`: several keys have a secret that begins like this
 * - `none`: no secret that this page knows begins like this
 */
export type Finding =
  | { readonly kind: 'current' | 'over'; readonly apiKey: ApiKey }
  | { readonly kind: 'previous'; readonly apiKey: ApiKey; readonly endsAt: string }
  | { readonly kind: 'several' | 'none' };

/** Finds the key that has a secret with this prefix. */
export function findSecret(keys: readonly ApiKey[], prefix: string, now: Date): Finding {
  const [apiKey, ...others] = keysOfPrefix(keys, prefix);
  if (!apiKey) return { kind: 'none' };
  if (others.length > 0) return { kind: 'several' };
  if (!canChange(stateOf(apiKey, now))) return { kind: 'over', apiKey };
  const secret = apiKey.secrets.find((each) => each.prefix?.toLowerCase() === prefix.toLowerCase());
  const endsAt = secret?.endsAt ?? null;
  if (endsAt === null) return { kind: 'current', apiKey };
  // It may have ended since the page fetched it.
  return new Date(endsAt) > now ? { kind: 'previous', apiKey, endsAt } : { kind: 'over', apiKey };
}
