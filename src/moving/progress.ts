/** How often it is told, in milliseconds: where somebody watches, and where it is written to a file. */
const often = 100;
const seldom = 10_000;

const width = 30;

const bar = (share: number): string => '█'.repeat(Math.round(share * width)).padEnd(width, '░');

/** Tells on the standard error how far a command is: by a bar in a terminal, by a line now and then elsewhere. */
export class Progress implements Disposable {
  readonly #out = process.stderr;
  readonly #total: number | undefined;
  #toldAt = performance.now();
  #isShown = false;

  /** @param total how many bytes there are; undefined where nobody knows */
  constructor(total: number | undefined) {
    this.#total = total;
  }

  /** @param bytes how many are behind */
  tell(lines: number, bytes: number): void {
    const isTerminal = this.#out.isTTY;
    if (performance.now() - this.#toldAt < (isTerminal ? often : seldom)) return;
    this.#toldAt = performance.now();
    const share = this.#total ? Math.min(1, bytes / this.#total) : undefined;
    const percent = share === undefined ? '' : `${Math.floor(share * 100)} %, `;
    const text = `${percent}${lines.toLocaleString('en')} lines`;
    if (!isTerminal) return void this.#out.write(`${text}\n`);
    this.#out.write(`\r\x1b[2K${share === undefined ? '' : `${bar(share)} `}${text}`);
    this.#isShown = true;
  }

  /** Writes a line of its own. */
  say(line: string): void {
    this.#clear();
    this.#out.write(`${line}\n`);
  }

  [Symbol.dispose](): void {
    this.#clear();
  }

  #clear(): void {
    if (this.#isShown) this.#out.write('\r\x1b[2K');
    this.#isShown = false;
  }
}
