import { write, writeSync } from 'node:fs';

/** The most bytes of lines that wait to be written. */
const mostWaiting = 1024 * 1024;

/** The most bytes of lines that are written at once: as many as Docker reads. */
const mostAtOnce = 16 * 1024;

/** When what could not be written is tried again, in milliseconds. */
const retryAfter = 25;

/** For how long a pipe that is full is waited for when the process ends, in milliseconds. */
const lastPatience = 500;

/** Lines that are written at once, or what is left of them. */
interface Piece {
  content: string | Buffer;
  bytes: number;
}

/**
 * Where the lines of the log go. A disk that is full or a reader that stops holds nobody up: 1 MiB of lines waits and is
 * tried again, and what comes beyond is dropped and counted. pino's own destination tries for ever when it is flushed.
 */
export class LogOutput {
  /** How many lines were dropped. */
  dropped = 0;
  /** Told how many lines were dropped, each time that all that waited is written. */
  onRecovery: (dropped: number) => void = () => {};
  readonly #fd: number;
  readonly #pieces: Piece[] = [];
  #waiting = 0;
  #isBusy = false;
  #told = 0;

  /** @param fd of a file, a terminal, or a pipe that does not block: a thread that waits in one keeps Node from exiting */
  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Writes a line in the background. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#waiting + bytes > mostWaiting) {
      this.dropped += 1;
      return;
    }
    this.#waiting += bytes;
    this.#append(line, bytes);
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Not at once: what is flushed right after it is written, as the last line of all is, must not be on its way.
    queueMicrotask(() => this.#writeOn());
  }

  /** Writes what waits, as far as that can be done now: the process is about to end. */
  flushSync(): void {
    const until = performance.now() + lastPatience;
    for (let data = this.#take(); data; data = this.#take()) {
      const written = this.#writeNow(data, until);
      this.#putBack(data, written);
      if (written === 0) return;
    }
  }

  #append(line: string, bytes: number): void {
    const last = this.#pieces.at(-1);
    if (typeof last?.content === 'string' && last.bytes + bytes <= mostAtOnce) {
      last.content += line;
      last.bytes += bytes;
    } else this.#pieces.push({ content: line, bytes });
  }

  #take(): Buffer | undefined {
    const piece = this.#pieces.shift();
    return typeof piece?.content === 'string' ? Buffer.from(piece.content) : piece?.content;
  }

  /** Notes how much of a piece was written; what is left comes next. */
  #putBack(data: Buffer, written: number): void {
    this.#waiting -= written;
    const bytes = data.length - written;
    if (bytes > 0) this.#pieces.unshift({ content: data.subarray(written), bytes });
  }

  #writeOn(): void {
    const data = this.#take();
    this.#isBusy = data !== undefined;
    if (data) this.#write(data);
    else this.#tell();
  }

  #write(data: Buffer): void {
    write(this.#fd, data, (error, written) => {
      this.#putBack(data, written);
      // The process does not stay alive for what may never be written.
      if (error) setTimeout(() => this.#writeOn(), retryAfter).unref();
      else this.#writeOn();
    });
  }

  #tell(): void {
    const dropped = this.dropped - this.#told;
    this.#told = this.dropped;
    if (dropped > 0) this.onRecovery(dropped);
  }

  /** How many bytes could be written; a reader that is only slow is waited for. */
  #writeNow(data: Buffer, until: number): number {
    for (;;) {
      try {
        return writeSync(this.#fd, data);
      } catch (error) {
        const isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN';
        if (!isFull || performance.now() > until) return 0;
        pause(10);
      }
    }
  }
}

const pause = (milliseconds: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
