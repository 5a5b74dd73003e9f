/**
 * The intervals of the progress messages, in milliseconds: in a terminal (`often`), and in any other output
 * (`seldom`).
 */
const often = 100;
const seldom = 10_000;

const width = 30;

const bar = (share: number): string => '█'.repeat(Math.round(share * width)).padEnd(width, '░');

/** Shows a command's progress on standard error: a bar in a terminal, a line now and then in any other output. */
export class Progress implements Disposable {
  readonly #out = process.stderr;
  readonly #total: number | undefined;
  #toldAt = performance.now();
  #isShown = false;

  /** @param total the size of the input in bytes; undefined if unknown */
  constructor(total: number | undefined) {
    this.#total = total;
  }

  /**
   * Shows the progress, at most once per interval.
   * @param lines the number of lines read so far
   * @param bytes the number of bytes read so far
   */
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

  /** Writes a message on a line of its own. */
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
