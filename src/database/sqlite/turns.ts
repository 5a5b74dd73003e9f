/** Lets one after the other do something, in the order in which they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** How many wait for theirs. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when it is the caller's turn. */
  async take(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
  }

  /** Ends the turn of whoever has it. */
  pass(): void {
    const next = this.#waiting.shift();
    this.#taken = next !== undefined;
    next?.();
  }
}
