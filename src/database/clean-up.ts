/** The interval between two runs, in milliseconds. */
const interval = 10 * 60_000;

/** The most rows that one statement deletes: on SQLite, all other writers wait for the statement. */
export const cleanUpBatch = 200;

/**
 * Deletes up to {@link cleanUpBatch} expired rows.
 * @returns the number of deleted rows
 */
export type DeleteSome = () => Promise<number>;

/** Deletes expired rows at regular intervals, in batches. Disposing of the object ends this. */
export class CleanUp implements AsyncDisposable {
  readonly #deleteSome: DeleteSome;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer = setInterval(() => void this.run(), interval).unref();
  #running: Promise<void> | undefined;
  #isOver = false;

  /** @param onFailure receives the error of a failed run; a later run tries again */
  constructor(deleteSome: DeleteSome, onFailure: (error: unknown) => void) {
    this.#deleteSome = deleteSome;
    this.#onFailure = onFailure;
  }

  /** Deletes all expired rows. Concurrent calls share one run. The promise never rejects. */
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
      // Other requests run between two batches.
      await new Promise(setImmediate);
    }
  }
}
