/** How often is cleaned up, in milliseconds. */
const interval = 10 * 60_000;

/** How many rows are deleted in one statement: on SQLite others wait for all of it. */
export const cleanUpBatch = 200;

/** Deletes up to {@link cleanUpBatch} rows that are over, and says how many those were. */
export type DeleteSome = () => Promise<number>;

/** Deletes what is over, again and again, some rows at a time. Disposing of it ends that. */
export class CleanUp implements AsyncDisposable {
  readonly #deleteSome: DeleteSome;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer = setInterval(() => void this.run(), interval).unref();
  #running: Promise<void> | undefined;
  #isOver = false;

  /** @param onFailure told why rows could not be deleted; it is tried again later */
  constructor(deleteSome: DeleteSome, onFailure: (error: unknown) => void) {
    this.#deleteSome = deleteSome;
    this.#onFailure = onFailure;
  }

  /** Deletes all that is over; one call joins another that is at it. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#deleteAll()
      .catch(this.#onFailure)
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#isOver = true;
    await this.#running;
  }

  async #deleteAll(): Promise<void> {
    while ((await this.#deleteSome()) >= cleanUpBatch && !this.#isOver) {
      // Requests go between.
      await new Promise(setImmediate);
    }
  }
}
