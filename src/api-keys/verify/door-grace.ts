import { LRUCache } from 'lru-cache';
import { DatabaseAwayError, isAway } from '../../database/failures.ts';
import type { ApiKey } from '../../database/tables.ts';
import type { DoorGrace } from '../../operations/context.ts';

/** The first pause between two probes, in milliseconds; it doubles up to the longest one. */
const firstPause = 100;
const longestPause = 1000;

/** The time after an outage in which another one counts as the same, in milliseconds. */
const longAgo = 10_000;

/** The interval at which late questions are looked for, in milliseconds. */
const sweepInterval = 100;

/** The time before its deadline at which a question is answered from memory, in milliseconds. */
const room = 250;

/** The least time in which a database has to be silent to be away, in milliseconds. */
const leastWait = 1000;

/** The most keys and accounts whose last change is remembered. */
const mostChanges = 10_000;

/** A question to the database that has no answer yet. */
interface Waiting {
  /** The time at which the question is given up, by `performance.now()`. */
  readonly giveUpAt: number;
  readonly giveUp: (error: unknown) => void;
}

/** The keys that a process remembers of a database. */
export interface RememberedKeys {
  /** Asks the database for a key that does not exist. */
  probe(): Promise<unknown>;
  /** Counts the keys that may work on while the database is away. */
  countUsable(grace: DoorGrace): number;
  /** Forgets the keys that were last found before a time, by `performance.now()`. */
  forgetBefore(time: number): void;
}

/** Receives the beginning and the end of each outage. */
export interface OutageReport {
  /**
   * @param remembered how many keys work on
   * @param error the failure of the database
   */
  began(remembered: number, error: unknown): void;
  /**
   * @param seconds how long it took
   * @param accepted how many verifications were accepted from memory
   */
  ended(seconds: number, accepted: number): void;
}

/** An outage that goes on. */
interface Outage {
  readonly beganAt: number;
  readonly error: DatabaseAwayError;
  /** How many verifications were accepted from memory. */
  accepted: number;
}

/**
 * Lets API keys work on while the database is away, for a bounded time after it last said that they are valid. A failure
 * of the connection begins an outage; then only probes ask the database, one at a time, until one has an answer.
 * Disposing of the object ends the probes.
 */
export class OutageGrace implements DoorGrace, Disposable {
  readonly #keys: RememberedKeys;
  readonly #milliseconds: number;
  readonly #report: OutageReport;
  readonly #waiting = new Set<Waiting>();
  /** When this process last changed each key, or, by its negative id, each account; by `performance.now()`. */
  readonly #changes = new LRUCache<number, number>({
    // With `max`, the cache would allocate all its memory at once.
    maxSize: mostChanges,
    sizeCalculation: () => 1,
    dispose: (at, _id, reason) => {
      if (reason === 'evict') this.#forgottenAt = Math.max(this.#forgottenAt, at);
    },
  });
  /** The last change that is no longer remembered. */
  #forgottenAt = Number.NEGATIVE_INFINITY;
  /** When the database last found a key that is remembered. */
  #foundAt = Number.NEGATIVE_INFINITY;
  #outage: Outage | undefined;
  /** When the last outage ended, and the pause before the next probe. */
  #endedAt = Number.NEGATIVE_INFINITY;
  #pause = firstPause;
  #nextProbe: NodeJS.Timeout | undefined;
  #isOver = false;
  readonly #timer = setInterval(() => this.#sweep(), sweepInterval).unref();
  /** How many keys were accepted from memory. */
  accepted = 0;

  /** @param milliseconds the time for which a key works on, from when the database last found it valid */
  constructor(milliseconds: number, keys: RememberedKeys, report: OutageReport) {
    this.#milliseconds = milliseconds;
    this.#keys = keys;
    this.#report = report;
  }

  get away(): DatabaseAwayError | undefined {
    return this.#outage?.error;
  }

  /** Whether a key could be accepted from memory now. */
  get isOfUse(): boolean {
    return this.#isRecent(this.#foundAt);
  }

  isUsable({ id, account }: Pick<ApiKey, 'id' | 'account'>, foundAt: number): boolean {
    const isUnchanged = (changed: number) => foundAt > (this.#changes.peek(changed) ?? this.#forgottenAt);
    return this.#isRecent(foundAt) && isUnchanged(id) && isUnchanged(-account);
  }

  usableUntil(foundAt: number): number {
    return foundAt + this.#milliseconds;
  }

  noteFound(foundAt: number): void {
    this.#foundAt = Math.max(this.#foundAt, foundAt);
  }

  noteChange({ accountId, keyId }: Parameters<DoorGrace['noteChange']>[0]): void {
    const changed = keyId ?? (accountId === undefined ? undefined : -accountId);
    if (changed !== undefined) this.#changes.set(changed, performance.now());
  }

  noteAccepted(): void {
    this.accepted += 1;
    if (this.#outage) this.#outage.accepted += 1;
  }

  noteFailure(error: unknown): unknown {
    if (!isAway(error)) return error;
    return this.#begin(error);
  }

  waitFor<Answer>(
    asked: Promise<Answer>,
    deadline: number,
    remember: (answer: Answer) => void,
    recall: (error: unknown) => Answer,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const giveUp = (error: unknown) => {
        try {
          resolve(recall(error));
        } catch (refusal) {
          reject(refusal);
        }
      };
      const giveUpAt = Math.max(deadline - room, performance.now() + leastWait);
      const waiting = { giveUpAt, giveUp };
      this.#waiting.add(waiting);
      asked
        .then(
          (answer) => {
            this.#waiting.delete(waiting);
            resolve(answer);
            remember(answer);
          },
          (error) => {
            // If it was given up, its failure says nothing of now.
            if (this.#waiting.delete(waiting)) giveUp(this.noteFailure(error));
          },
        )
        .catch(reject);
    });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    clearTimeout(this.#nextProbe);
    this.#isOver = true;
  }

  #isRecent(foundAt: number): boolean {
    return foundAt > performance.now() - this.#milliseconds;
  }

  #sweep(): void {
    const now = performance.now();
    this.#keys.forgetBefore(now - this.#milliseconds);
    this.#giveUpLate(now);
  }

  /** Gives the questions up whose answers would come too late. */
  #giveUpLate(now: number): void {
    for (const { giveUpAt } of this.#waiting) {
      if (giveUpAt > now) continue;
      this.#begin(new Error('the database has not answered in time'));
      return;
    }
  }

  /** Begins an outage, unless there is one. All who wait for an answer need not wait for their own time-outs. */
  #begin(cause: unknown): DatabaseAwayError {
    if (this.#outage) return this.#outage.error;
    const error = new DatabaseAwayError(cause);
    const beganAt = performance.now();
    this.#outage = { beganAt, error, accepted: 0 };
    // One that comes and goes is asked less and less often.
    if (beganAt - this.#endedAt > longAgo) this.#pause = firstPause;
    this.#probeLater();
    for (const { giveUp } of this.#waiting) giveUp(error);
    this.#waiting.clear();
    this.#report.began(this.#keys.countUsable(this), cause);
    return error;
  }

  /** Asks the database after a pause, and again until it has an answer. */
  #probeLater(): void {
    const probe = async () => {
      // Any other error is an answer, too: who asks then gets it.
      const isStillAway = await this.#keys.probe().then(() => false, isAway);
      if (this.#isOver) return;
      if (isStillAway) this.#probeLater();
      else this.#end();
    };
    this.#nextProbe = setTimeout(probe, this.#pause).unref();
    this.#pause = Math.min(2 * this.#pause, longestPause);
  }

  #end(): void {
    const { beganAt, accepted } = this.#outage ?? { beganAt: 0, accepted: 0 };
    this.#outage = undefined;
    this.#endedAt = performance.now();
    const seconds = Math.round(performance.now() - beganAt) / 1000;
    this.#report.ended(seconds, accepted);
  }
}
