import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AccessToken } from './access-token.ts';
import { isExpired } from './screen-token.ts';
import type { KeySet } from './verification-key.ts';
import type { VerificationKeys } from './verification-keys.ts';

/** The most tokens that are remembered. */
const capacity = 10_000;

interface Entry {
  readonly accessToken: AccessToken;
  /** Where the keys came from, and the set that was current when they verified the token. */
  readonly keys: VerificationKeys;
  readonly keySet: KeySet | undefined;
}

// A digest, so that a dump of this process's memory holds no list of tokens.
const digest = (token: string) => hash('sha256', token, 'base64');

/**
 * Tokens that were verified, so that a signature is verified once and not at each request. An entry is good for as
 * long as the token is, and the key set that verified it; a token that was refused is never kept.
 */
export class RememberedTokens {
  readonly #entries = new LRUCache<string, Entry>({ max: capacity });

  /** What a token that was verified before amounts to; undefined for any other. */
  recall(token: string): AccessToken | undefined {
    const key = digest(token);
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const { accessToken, keys, keySet } = entry;
    if (keys.current === keySet && !isExpired(accessToken.expiresAt)) return accessToken;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps a token that was verified with this set of these keys. */
  remember(
    token: string,
    accessToken: AccessToken,
    keys: VerificationKeys,
    keySet: KeySet | undefined,
  ): void {
    this.#entries.set(digest(token), { accessToken, keys, keySet });
  }
}
