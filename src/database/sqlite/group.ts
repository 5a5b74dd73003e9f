/** Transactions that share one commit. */
export class Group {
  readonly begunAt = performance.now();
  /** How many have taken part so far. */
  size = 0;
  /** Why it failed as a whole, once it has. */
  failure: { readonly error: unknown } | undefined;
  readonly #outcome = Promise.withResolvers<void>();

  constructor() {
    // Whoever takes part asks for the outcome; it may be that nobody is left.
    this.#outcome.promise.catch(() => {});
  }

  /** Resolves when all of it is committed; rejects where none of it is. */
  get outcome(): Promise<void> {
    return this.#outcome.promise;
  }

  succeed(): void {
    this.#outcome.resolve();
  }

  fail(error: unknown): void {
    this.failure = { error };
    this.#outcome.reject(error);
  }
}
