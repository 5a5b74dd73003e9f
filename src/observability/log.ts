import { write, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import { firstError } from '../first-error.ts';
import type { Finisher, RequestIds, RequestRecord } from '../http/exchange.ts';
import type { EventLog } from './events.ts';

/** The message of a request's log line. */
const requestMessage = 'request';

/**
 * Makes the log of the process: readable lines in a terminal, one JSON object a line otherwise.
 * @param level the lowest level that the log writes
 */
export async function createLogger(level: string, output: LogOutput): Promise<Logger> {
  const logger = process.stdout.isTTY
    ? pino({ level, base: null }, await readable(output))
    : pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
  output.onRecovery = (dropped) => logger.warn({ dropped }, 'could not write the log: lines were lost');
  return logger;
}

/**
 * Makes a log stream for a terminal, with one line for each request. Only a terminal loads the package that formats
 * the lines.
 */
async function readable(output: LogOutput): Promise<DestinationStream & Pick<LogOutput, 'flushSync'>> {
  const { prettyFactory } = await import('pino-pretty');
  const translateTime = 'HH:MM:ss.l';
  const toRequest = prettyFactory({ translateTime, hideObject: true, messageFormat: requestText });
  // An error still takes several lines.
  const toText = prettyFactory({ translateTime, singleLine: true, ignore: 'event,requestId,traceId,spanId' });
  return {
    write: (text) => {
      const line: LogLine = JSON.parse(text);
      output.write((line['msg'] === requestMessage ? toRequest : toText)(line));
    },
    flushSync: () => output.flushSync(),
  };
}

type LogLine = Readonly<Record<string, unknown>>;

/** A request in one short line: `GET /api/v1/auth/keys 200 in 1.2 ms, apiKeys`. */
function requestText(line: LogLine): string {
  const { method, route = 'an unknown path', status, milliseconds, operation, reason } = line;
  const { clientAddress, requestId } = line;
  const isFailure = typeof status === 'number' && status >= 500;
  const details = [operation, reason, clientAddress && `from ${clientAddress}`, isFailure && requestId];
  return [`${method} ${route} ${status} in ${milliseconds} ms`, ...details.filter(Boolean)].join(', ');
}

/**
 * Writes one log line for each request, and adds the header field `x-request-id` to the answer, so that the line can
 * be found. The line has no tokens, bodies, query strings or paths in the caller's words. It identifies the client by
 * the account alone, and by the IP address only if `logsAddress` is set.
 * @param logsAddress whether log lines include the client's IP address
 */
export const logRequests =
  (logger: Logger, logsAddress: boolean): Finisher =>
  ({ address, record }, answer) => {
    answer.headers['x-request-id'] = record.requestId;
    if (record.failure && record.failure.status >= 500) logFailure(logger, record);
    if (logger.isLevelEnabled('info'))
      logger.info(requestLine(answer.status, record, logsAddress ? address : null), requestMessage);
    return answer;
  };

/**
 * Writes a line for a failed request. A 503 without a cause is this service's own decision: it waited long enough, the
 * account was erased meanwhile, or another line has said why. Only a failure with a cause is an error.
 */
function logFailure(logger: Logger, { requestId, traceId, spanId, failure }: RequestRecord): void {
  const isDecided = failure?.code === 'SERVICE_UNAVAILABLE' && failure.cause === undefined;
  const error = describeError(failure?.cause);
  const line = { requestId, traceId, spanId, reason: failure?.reason, error };
  logger[isDecided ? 'warn' : 'error'](line, failure?.message);
}

/**
 * Describes an error for the log. It leaves out the message of a database error, because such a message repeats the
 * values of the query. If a clean-up failed after another error, that other error is described.
 */
export function describeError(error: unknown): Record<string, unknown> | undefined {
  if (error instanceof SuppressedError) return describeError(firstError(error));
  if (!(error instanceof Error)) return error === undefined ? undefined : { type: typeof error };
  const { code } = error as { code?: unknown };
  const fromDatabase = /Exception$|^(SqliteError|NotFoundError|ValidationError)$/.test(error.name);
  const frames = error.stack?.split('\n').filter((frame) => /^\s+at /.test(frame));
  return {
    type: error.name,
    code,
    message: fromDatabase ? undefined : error.message,
    stack: frames?.slice(0, 12).map((frame) => frame.trim()),
    cause: describeError(error.cause),
  };
}

/** Why a request, or the API key that it is about, was refused; undefined if neither was. */
export const reasonOf = ({ failure, refusal }: RequestRecord): string | undefined =>
  failure?.reason ?? refusal;

const requestLine = (status: number, record: RequestRecord, address: string | null) => ({
  requestId: record.requestId,
  traceId: record.traceId,
  spanId: record.spanId,
  method: record.method,
  route: record.route,
  operation: record.operation,
  status,
  milliseconds: Math.round((performance.now() - record.startedAt) * 100) / 100,
  clientAddress: address ?? undefined,
  replayed: record.isReplayed || undefined,
  stale: record.isStale,
  server: record.server ?? record.actor,
  accountId: record.accountId ?? record.failure?.accountId,
  memberId: record.memberId,
  keyId: record.keyId,
  reason: reasonOf(record),
});

/** Makes the event log of one request. Each line has the event's name, and the ids of the request and its trace. */
export const createEventLog =
  (logger: Logger, record: RequestIds & Pick<RequestRecord, 'server' | 'actor' | 'memberId'>): EventLog =>
  (name, { reason: _, ...event }) => {
    const { requestId, traceId, spanId, actor, server = actor, memberId } = record;
    const line: object = { requestId, traceId, spanId, event: name, server, memberId, ...event };
    logger.info(line, `${name}`);
  };

/** The limit of lines that wait to be written, in bytes. */
const mostWaiting = 1024 * 1024;

/** The limit of one write, in bytes: Docker reads this many at a time. */
const mostAtOnce = 16 * 1024;

/** The pause before a failed write is tried again, in milliseconds. */
const retryAfter = 25;

/** The time that the ending process waits for a full pipe, in milliseconds. */
const lastPatience = 500;

/** Lines that go into one write, or the unwritten rest of them. */
interface Piece {
  content: string | Buffer;
  bytes: number;
}

/**
 * The output of the log. A full disk or a stopped reader delays no request: up to 1 MiB of lines waits for another
 * try, and lines beyond that are dropped and counted. pino's own destination would retry forever on a flush.
 */
export class LogOutput {
  /** The number of dropped lines. */
  dropped = 0;
  /**
   * Called when all waiting lines are written and lines were dropped since the last call, with the number of these
   * lines.
   */
  onRecovery: (dropped: number) => void = () => {};
  readonly #fd: number;
  readonly #pieces: Piece[] = [];
  #waiting = 0;
  #isBusy = false;
  #told = 0;

  /**
   * @param fd the file descriptor of a file, a terminal, or a non-blocking pipe; a thread that blocks in a pipe would
   *   keep Node from exiting
   */
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
    // The write starts in a microtask: a line that is flushed right after it, such as the last line of the process,
    // must not be in an asynchronous write already.
    queueMicrotask(() => this.#writeOn());
  }

  /** Writes the waiting lines synchronously, as far as possible, because the process is about to end. */
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

  /** Subtracts the written bytes, and puts the rest of a piece back as the next piece. */
  #putBack(data: Buffer, written: number): void {
    this.#waiting -= written;
    const bytes = data.length - written;
    if (bytes > 0) this.#pieces.unshift({ content: data.subarray(written), bytes });
  }

  #writeOn(): void {
    const data = this.#take();
    this.#isBusy = data !== undefined;
    if (data) this.#write(data);
    else this.#announce();
  }

  #write(data: Buffer): void {
    write(this.#fd, data, (error, written) => {
      this.#putBack(data, written);
      // The timer does not keep the process alive, because the write may never succeed.
      if (error) setTimeout(() => this.#writeOn(), retryAfter).unref();
      else this.#writeOn();
    });
  }

  #announce(): void {
    const dropped = this.dropped - this.#told;
    this.#told = this.dropped;
    if (dropped > 0) this.onRecovery(dropped);
  }

  /**
   * Writes synchronously and waits for a slow reader until the given time.
   * @returns the number of written bytes
   */
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
