import { LRUCache } from 'lru-cache';
import type { Db } from '../../database/db.ts';
import { once } from '../../once.ts';

/** Finds the key of the first of these digests that has one. */
type Find<Key> = (db: Db, digests: readonly Buffer[]) => Promise<Key | undefined>;

/** The most bytes that are remembered of one database. */
const mostBytes = 16 * 1024 * 1024;

/** What a key takes in memory beside its texts, in bytes. */
const fixedBytes = 2400;

/** The size of a key in memory, at most: a character takes one byte or two. */
function sizeOf(key: object, { length }: string): number {
  let characters = length;
  for (const value of Object.values(key)) if (typeof value === 'string') characters += value.length;
  return fixedBytes + 2 * characters;
}

const createKeys = <Key extends object>() =>
  new LRUCache<string, Key>({ maxSize: mostBytes, sizeCalculation: sizeOf });

/** After so many questions, the memory rests if it knew fewer than a quarter of the answers, for ten times as many. */
const trial = 1000;
const rest = 10 * trial;

/** The keys that were found in one version of a database. */
class Memory<Key extends object> {
  #version = Number.NaN;
  #keys: LRUCache<string, Key> = createKeys();
  /** The questions of this trial, and how many of them the memory answered. */
  #asked = 0;
  #known = 0;
  /** The questions for which the memory still rests. */
  #resting = 0;

  /** Whether the memory is of no use for the next question: where keys hardly come again, it would only cost. */
  isResting(): boolean {
    if (this.#resting === 0) return false;
    this.#resting -= 1;
    return true;
  }

  /** The keys that were found in this version; they are forgotten when another version is asked for. */
  keysIn(version: number): LRUCache<string, Key> {
    if (version !== this.#version) this.#keys = createKeys();
    this.#version = version;
    return this.#keys;
  }

  /** Counts a question. */
  count(isKnown: boolean): void {
    this.#asked += 1;
    if (isKnown) this.#known += 1;
    if (this.#asked < trial) return;
    if (this.#known * 4 < trial) this.#resting = rest;
    this.#asked = 0;
    this.#known = 0;
  }
}

/**
 * Remembers found keys until the next commit to the database, by whatever process: until then, the database would
 * answer the same. So the first question after the acknowledgement of a change always reaches the database.
 *
 * What was found is remembered as the answer to exactly these digests. A question without an answer is not remembered,
 * because a caller can ask any number of those.
 * @param find asks the database
 * @param renew decides anew what depends on the time
 * @returns the same as `find`, but a remembered key at once; without a memory where a commit cannot be noticed
 *   ({@link Db.dataVersion})
 */
export function rememberUntilCommit<Key extends object>(
  find: Find<Key>,
  renew: (key: Key) => Key,
): (...asked: Parameters<Find<Key>>) => Key | Promise<Key | undefined> {
  const memoryOf = once((_database: object) => new Memory<Key>());
  return (db, digests) => {
    const memory = memoryOf(db.kysely);
    if (memory.isResting()) return find(db, digests);
    const version = db.dataVersion();
    if (version === undefined) return find(db, digests);
    const keys = memory.keysIn(version);
    const question = digests.map((digest) => digest.toString('latin1')).join('');
    const known = keys.get(question);
    memory.count(known !== undefined);
    if (known) return renew(known);
    return find(db, digests).then((found) => {
      // If there was a commit meanwhile, these keys are no longer the memory.
      if (found) keys.set(question, found);
      return found;
    });
  };
}
