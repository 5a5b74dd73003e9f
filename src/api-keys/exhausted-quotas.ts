import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type Db, prepareQuery } from '../database/db.ts';
import { ApiKeyQuota, WebhookEvent } from '../database/tables.ts';

/** Of how many keys it is remembered at the most, and how many wait at the most. */
const mostRemembered = 50_000;
const mostWaiting = 10_000;

/** How long after a failure nothing is tried, in milliseconds. */
const rest = 5000;

interface Exhausted {
  readonly keyId: number;
  readonly generation: number;
}

/** Of all who see the same, one marks it. */
const mark = prepareQuery(ApiKeyQuota, (db, { keyId, generation }: Exhausted) =>
  db
    .updateTable('api_key_quota')
    .set({ exhausted_generation: generation })
    .where('api_key_id', '=', keyId)
    .where('generation', '=', generation)
    .where(({ eb, or, ref }) =>
      or([eb('exhausted_generation', 'is', null), eb('exhausted_generation', '<>', ref('generation'))]),
    )
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('webhook_endpoint').select('id').where('removed_at', 'is', null)),
    )
    .returning('generation'),
);

const noteEvent = prepareQuery(WebhookEvent, (db, { keyId, now }: Pick<Exhausted, 'keyId'> & { now: Date }) =>
  db
    .insertInto('webhook_event')
    .columns(['account_id', 'actor', 'action', 'target', 'created_at'])
    .expression(
      db
        .selectFrom('api_key')
        .where('id', '=', keyId)
        .select(['account_id', sql<string>`'key'`.as('actor')])
        .select([sql<string>`'api-key-quota-exhausted'`.as('action'), 'id'])
        .select(({ val }) => val(now).as('created_at')),
    ),
);

/**
 * Tells webhooks that the quota of a key has run out: once for each period of all nodes, and for each quota that it is
 * given. It works beside the verifications, which neither wait for it nor fail by it, with one statement or two for each
 * key, period and node: a use that is refused later costs nothing.
 */
export class ExhaustedQuotas implements AsyncDisposable {
  readonly #db: Db;
  readonly #onFailure: (error: unknown) => void;
  /** The generation of which it was last told, of each key. */
  // By `max`, room for all of them would be made at once.
  readonly #told = new LRUCache<number, number>({ maxSize: mostRemembered, sizeCalculation: () => 1 });
  readonly #waiting = new Map<number, number>();
  #work: Promise<void> | undefined;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  /** @param onFailure told why it could not be told; the next use that is refused is another occasion */
  constructor(db: Db, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#onFailure = onFailure;
  }

  /** Notes that a use was refused. */
  note(keyId: number, generation: number): void {
    if (this.#told.get(keyId) === generation) return;
    if (this.#isStopping || this.#waiting.size >= mostWaiting || performance.now() < this.#restsUntil) return;
    this.#told.set(keyId, generation);
    this.#waiting.set(keyId, generation);
    this.#begin();
  }

  /** Ends after what it is about to tell; what waits is told when a use is refused next, by whichever node. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#work;
  }

  #begin(): void {
    if (this.#waiting.size === 0 || this.#isStopping) return;
    this.#work ??= this.#tellAll().finally(() => {
      this.#work = undefined;
      this.#begin();
    });
  }

  /** One after the other: nobody who verifies finds all connections taken. */
  async #tellAll(): Promise<void> {
    for (const [keyId, generation] of this.#waiting) {
      if (this.#isStopping) return;
      // Its quota may run out anew meanwhile.
      this.#waiting.delete(keyId);
      try {
        await this.#tell({ keyId, generation });
      } catch (error) {
        for (const untold of [keyId, ...this.#waiting.keys()]) this.#told.delete(untold);
        this.#waiting.clear();
        this.#restsUntil = performance.now() + rest;
        this.#onFailure(error);
      }
    }
  }

  /** Marks it and tells it in one transaction: of the two, neither is there without the other. */
  #tell(exhausted: Exhausted): Promise<void> {
    return this.#db.transaction(async (db) => {
      if ((await mark(db, exhausted)).length === 0) return;
      await noteEvent(db, { keyId: exhausted.keyId, now: new Date() }, { last: true });
    });
  }
}
