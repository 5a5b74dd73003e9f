import { LRUCache } from 'lru-cache';
import type { Db } from '../../database/db.ts';
import { UnexpectedValueError } from '../../database/failures.ts';
import type { ApiKey } from '../../database/tables.ts';
import { once } from '../../once.ts';
import type { DoorGrace } from '../../operations/context.ts';

/** A key that may be remembered. */
interface Rememberable extends Pick<ApiKey, 'id' | 'account'> {
  /**
   * When the database last said so, by `performance.now()`; only of a key that is answered from memory because the
   * database is away.
   */
  readonly staleSince?: number;
}

/** Finds the key of the first of these digests that has one. */
type Find<Key> = (db: Db, digests: readonly Buffer[]) => Promise<Key | undefined>;

/** The most bytes that are remembered of one database. */
const mostBytes = 16 * 1024 * 1024;

/** What a key takes in memory beside its texts, in bytes. */
const fixedBytes = 2400;

/** A key as the database had it. */
interface Entry<Key> {
  /** The number of characters in the texts for which there is room. */
  readonly characters: number;
  key: Key;
  /** The version of the database, see {@link Db.dataVersion}; undefined if it has none. */
  version: number | undefined;
  /** When the database was asked, by `performance.now()`. */
  foundAt: number;
}

/** After so many questions, the memory rests if it knew fewer than a quarter of the answers, for ten times as many. */
const trial = 1000;
const rest = 10 * trial;

/** The keys that were found in a database. */
class Memory<Key extends Rememberable> {
  readonly #charactersOf: (key: Key) => number;
  #keys: LRUCache<string, Entry<Key>>;
  /** The version for which the memory was last asked. */
  #version: number | undefined;
  /** The questions of this trial, and how many of them the memory answered. */
  #asked = 0;
  #known = 0;
  /** The questions for which the memory still rests. */
  #resting = 0;

  constructor(charactersOf: (key: Key) => number) {
    this.#charactersOf = charactersOf;
    this.#keys = this.#create();
  }

  /** Whether the memory is of no use for the next question: where keys hardly come again, it would only cost. */
  isResting(): boolean {
    if (this.#resting === 0) return false;
    this.#resting -= 1;
    return true;
  }

  /** Forgets what was found in other versions. */
  keepOnly(version: number): void {
    if (version !== this.#version) this.#keys = this.#create();
    this.#version = version;
  }

  /** The answer to a question in a version of the database. */
  inVersion(question: string, version: number): Entry<Key> | undefined {
    const entry = this.#keys.get(question);
    const isKnown = entry?.version === version;
    this.#count(isKnown);
    return isKnown ? entry : undefined;
  }

  /** The last answer to a question, of whatever version. */
  last(question: string): Entry<Key> | undefined {
    return this.#keys.peek(question);
  }

  /** Forgets the keys that were last found before a time: those used longest ago. */
  forgetBefore(time: number): void {
    for (const question of this.#keys.rkeys()) {
      const entry = this.#keys.peek(question);
      if (entry && entry.foundAt >= time) return;
      this.#keys.delete(question);
    }
  }

  /** Replaces the answer to a question, unless a later one is known. Undefined: there is no key. */
  replace(question: string, key: Key | undefined, version: number | undefined, foundAt: number): void {
    const known = this.#keys.get(question);
    if (known && known.foundAt > foundAt) return;
    if (!key) {
      if (known) this.#keys.delete(question);
      return;
    }
    const characters = this.#charactersOf(key);
    // Another entry would cost more than the rest of this.
    if (known && characters <= known.characters) {
      known.key = key;
      known.version = version;
      known.foundAt = foundAt;
    } else this.#keys.set(question, { characters, key, version, foundAt });
  }

  /** Counts the keys of which something holds. */
  count(holds: (key: Key, foundAt: number) => boolean): number {
    let count = 0;
    for (const { key, foundAt } of this.#keys.values()) if (holds(key, foundAt)) count += 1;
    return count;
  }

  #create(): LRUCache<string, Entry<Key>> {
    return new LRUCache({
      maxSize: mostBytes,
      // A character takes one byte or two.
      sizeCalculation: ({ characters }, question) => fixedBytes + 2 * (question.length + characters),
    });
  }

  #count(isKnown: boolean): void {
    this.#asked += 1;
    if (isKnown) this.#known += 1;
    if (this.#asked < trial) return;
    if (this.#known * 4 < trial) this.#resting = rest;
    this.#asked = 0;
    this.#known = 0;
  }
}

/** Mostly, a question has a single digest. */
function questionOf([first, ...others]: readonly Buffer[]): string {
  let question = first?.toString('latin1') ?? '';
  for (const digest of others) question += digest.toString('latin1');
  return question;
}

/** The parts of {@link rememberKeys}. */
interface Parts<Key extends Rememberable> {
  /** Asks the database for what a verification needs. */
  readonly find: Find<Key>;
  /** Asks the database for all that may be needed while it is away. */
  readonly findAll: Find<Key>;
  /** Decides anew what depends on the time. */
  readonly renew: (key: Key) => Key;
  /** What has ended, if the key may not be used: the key itself, or all keys of its account; undefined if nothing has. */
  readonly endOf: (key: Key) => Parameters<DoorGrace['noteChange']>[0] | undefined;
  /** The number of characters in a key's texts. */
  readonly charactersOf: (key: Key) => number;
}

/** Answers questions about keys, from memory or from the database. */
class Finder<Key extends Rememberable> {
  readonly #parts: Parts<Key>;
  readonly memoryOf = once((_database: object) => new Memory<Key>(this.#parts.charactersOf));

  constructor(parts: Parts<Key>) {
    this.#parts = parts;
  }

  find(db: Db, digests: readonly Buffer[], grace: DoorGrace | undefined): Key | Promise<Key | undefined> {
    const memory = this.memoryOf(db.kysely);
    if (grace && !db.isTransaction) return this.#findInSpiteOf(grace, memory, db, digests);
    if (memory.isResting()) {
      memory.forgetBefore(Number.POSITIVE_INFINITY);
      return this.#parts.find(db, digests);
    }
    const version = db.dataVersion();
    if (version === undefined) return this.#parts.find(db, digests);
    memory.keepOnly(version);
    const question = questionOf(digests);
    const known = memory.inVersion(question, version);
    if (known) return this.#parts.renew(known.key);
    const foundAt = performance.now();
    return this.#parts.find(db, digests).then((found) => {
      memory.replace(question, found, version, foundAt);
      return found;
    });
  }

  #findInSpiteOf(
    grace: DoorGrace,
    memory: Memory<Key>,
    db: Db,
    digests: readonly Buffer[],
  ): Key | Promise<Key | undefined> {
    const { renew, findAll, endOf } = this.#parts;
    const question = questionOf(digests);
    const recall = (error: unknown): Key => {
      // A value that nobody understands is an answer, too.
      if (error instanceof UnexpectedValueError) memory.replace(question, undefined, undefined, foundAt);
      const last = error === grace.away ? memory.last(question) : undefined;
      if (!last || !grace.isUsable(last.key, last.foundAt)) throw error;
      return { ...renew(last.key), staleSince: last.foundAt };
    };
    const foundAt = performance.now();
    if (grace.away) return recall(grace.away);
    let version: number | undefined;
    try {
      version = memory.isResting() ? undefined : db.dataVersion();
    } catch (error) {
      return recall(grace.noteFailure(error));
    }
    const known = version === undefined ? undefined : memory.inVersion(question, version);
    if (known) {
      known.foundAt = foundAt;
      if (!endOf(known.key)) grace.noteFound(foundAt);
      return renew(known.key);
    }
    const remember = (found: Key | undefined) => {
      const known = memory.last(question)?.key;
      memory.replace(question, found, version, foundAt);
      const end = found ? endOf(found) : known && { accountId: known.account, keyId: known.id };
      if (end) grace.noteChange(end);
      else if (found) grace.noteFound(foundAt);
    };
    return grace.waitFor<Key | undefined>(findAll(db, digests), db.deadline, remember, recall);
  }
}

/**
 * Remembers found keys, for two reasons.
 *
 * Until the next commit to the database, by whatever process, the database would answer the same: the key is answered
 * at once. So the first question after the acknowledgement of a change always reaches the database. This needs a
 * database where a commit can be noticed ({@link Db.dataVersion}).
 *
 * While the database is away, a key that it found valid lately may work on ({@link DoorGrace}).
 *
 * What was found is remembered as the answer to exactly these digests, and an answer of the database always replaces
 * it. A question without an answer is not remembered, because a caller can ask any number of those.
 */
export function rememberKeys<Key extends Rememberable>(parts: Parts<Key>) {
  const finder = new Finder(parts);
  return {
    /**
     * Finds a key.
     * @param grace decides what happens while the database is away; undefined: the question then fails
     * @returns the same as `find`, but a remembered key at once
     */
    findKnown: (db: Db, digests: readonly Buffer[], grace?: DoorGrace) => finder.find(db, digests, grace),
    /** Counts the keys that may work on while a database is away. */
    countUsable: (db: Db, grace: DoorGrace) =>
      finder.memoryOf(db.kysely).count((key, foundAt) => grace.isUsable(key, foundAt)),
    /** Forgets the keys of a database that were last found before a time. */
    forgetBefore: (db: Db, time: number) => finder.memoryOf(db.kysely).forgetBefore(time),
  };
}
