import { LRUCache } from 'lru-cache';
import { isTexts, parseStored } from '../database/stored-values.ts';
import { intersection, standsFor } from './permissions.ts';

/** The most characters of the keys' permissions that a ceiling remembers. */
const mostRemembered = 100_000;

/** The bound of what an account's keys may do, whatever their owner gives them. */
export class Ceiling {
  /** Names and wildcards. */
  readonly permissions: readonly string[];
  /** What is left of a key's permissions, by their stored list. */
  readonly #left = new LRUCache<string, readonly string[]>({
    maxSize: mostRemembered,
    sizeCalculation: (left, { length }) => length + left.length + 1,
    memoMethod: (stored) =>
      intersection(parseStored('api_key, permissions', stored, isTexts), this.permissions),
  });

  /** @param permissions names and wildcards; empty: nothing is allowed */
  constructor(permissions: readonly string[]) {
    this.permissions = permissions;
  }

  /** Whether a permission lies within the bound; a wildcard does with all that it stands for. */
  includes(permission: string): boolean {
    return this.permissions.some((each) => standsFor(each, permission));
  }

  /**
   * What a key may do within the bound, in its shortest form.
   * @param stored the key's stored list; null: never set
   */
  within(stored: string | null): readonly string[] {
    return stored === null ? [] : this.#left.memo(stored);
  }
}
