/**
 * Work that runs at regular intervals, and on request. Disposing of the object ends this, after a run that has begun.
 */
export class Repeated implements AsyncDisposable {
  readonly #work: (isOver: () => boolean) => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #isOver = false;

  /**
   * @param interval the time between two runs, in milliseconds
   * @param work long work asks from time to time whether to end before it is done
   * @param onFailure receives the error of a failed run; a later run tries again
   */
  constructor(
    interval: number,
    work: (isOver: () => boolean) => Promise<void>,
    onFailure: (error: unknown) => void,
  ) {
    this.#work = work;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.run(), interval).unref();
  }

  /** Runs now. Concurrent calls share one run. The promise never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#work(() => this.#isOver)
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
}
