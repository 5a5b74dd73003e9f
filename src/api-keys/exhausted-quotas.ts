import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type Db, prepareQuery } from '../database/db.ts';
import { ApiKeyQuota, WebhookEvent } from '../database/tables.ts';

/** The most keys whose last notice is remembered, and the most keys in the queue. */
const mostRemembered = 50_000;
const mostWaiting = 10_000;

/** The pause after a failure, in milliseconds. */
const rest = 5000;

interface Exhausted {
  readonly keyId: number;
  readonly generation: number;
}

/** Only one of the nodes that see the same exhaustion marks it. */
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
 * Announces to webhooks that the quota of a key has run out: once for each period and each new quota, across all
 * nodes. This runs beside the verifications: they do not wait for it, and its failures do not concern them. It costs
 * one or two statements for each key, period and node; a further refused use costs nothing.
 */
export class ExhaustedQuotas implements AsyncDisposable {
  readonly #db: Db;
  readonly #onFailure: (error: unknown) => void;
  /** The generation of each key's last notice. */
  // With `max`, the cache would allocate all its memory at once.
  readonly #told = new LRUCache<number, number>({ maxSize: mostRemembered, sizeCalculation: () => 1 });
  readonly #waiting = new Map<number, number>();
  #work: Promise<void> | undefined;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  /** @param onFailure receives the error of a failed notice; the next refused use tries again */
  constructor(db: Db, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#onFailure = onFailure;
  }

  /** Records a refused use. */
  note(keyId: number, generation: number): void {
    if (this.#told.get(keyId) === generation) return;
    if (this.#isStopping || this.#waiting.size >= mostWaiting || performance.now() < this.#restsUntil) return;
    this.#told.set(keyId, generation);
    this.#waiting.set(keyId, generation);
    this.#begin();
  }

  /** Ends after the current notice. The next refused use, on any node, announces the waiting ones. */
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

  /** Works one by one, so that verifications never find all connections taken. */
  async #tellAll(): Promise<void> {
    for (const [keyId, generation] of this.#waiting) {
      if (this.#isStopping) return;
      // The quota may run out again meanwhile.
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

  /** Marks and announces the exhaustion in one transaction, so that neither exists without the other. */
  #tell(exhausted: Exhausted): Promise<void> {
    return this.#db.transaction(async (db) => {
      if ((await mark(db, exhausted)).length === 0) return;
      await noteEvent(db, { keyId: exhausted.keyId, now: new Date() }, { last: true });
    });
  }
}
