import { LRUCache } from 'lru-cache';
import type { Db } from '../database/db.ts';
import type { QuotaStore } from './quota-store.ts';

/** The most owners whose last notice is remembered, and the most owners in the queue. */
const mostRemembered = 50_000;
const mostWaiting = 10_000;

/** The pause after a failure, in milliseconds. */
const rest = 5000;

/**
 * Announces to webhooks that a quota has run out: once for each period, across all nodes. This runs beside the
 * verifications: they do not wait for it, and its failures do not concern them. It costs one or two statements for
 * each owner, period and node; a further refused use costs nothing.
 */
export class ExhaustedQuotas implements AsyncDisposable {
  readonly #db: Db;
  readonly #store: QuotaStore;
  readonly #onFailure: (error: unknown) => void;
  /** The generation of each owner's last notice. */
  // With `max`, the cache would allocate all its memory at once.
  readonly #told = new LRUCache<number, number>({ maxSize: mostRemembered, sizeCalculation: () => 1 });
  readonly #waiting = new Map<number, number>();
  #work: Promise<void> | undefined;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  /** @param onFailure receives the error of a failed notice; the next refused use tries again */
  constructor(db: Db, store: QuotaStore, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#store = store;
    this.#onFailure = onFailure;
  }

  /** Records a refused use. */
  note(ownerId: number, generation: number): void {
    if (this.#told.get(ownerId) === generation) return;
    if (this.#isStopping || this.#waiting.size >= mostWaiting || performance.now() < this.#restsUntil) return;
    this.#told.set(ownerId, generation);
    this.#waiting.set(ownerId, generation);
    this.#begin();
  }

  /** Ends after the current notice. The next refused use, on any node, announces the waiting ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#work;
  }

  #begin(): void {
    if (this.#waiting.size === 0 || this.#isStopping) return;
    this.#work ??= this.#announceAll().finally(() => {
      this.#work = undefined;
      this.#begin();
    });
  }

  /** Works one by one, so that verifications never find all connections taken. */
  async #announceAll(): Promise<void> {
    for (const [ownerId, generation] of this.#waiting) {
      if (this.#isStopping) return;
      // The quota may run out again meanwhile.
      this.#waiting.delete(ownerId);
      try {
        // In one transaction, so that neither the mark nor the event exists without the other.
        await this.#db.transaction((db) => this.#store.announce(db, { ownerId, generation }, new Date()));
      } catch (error) {
        for (const untold of [ownerId, ...this.#waiting.keys()]) this.#told.delete(untold);
        this.#waiting.clear();
        this.#restsUntil = performance.now() + rest;
        this.#onFailure(error);
      }
    }
  }
}
