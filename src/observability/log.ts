import { write, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Middleware, RequestIds, RequestRecord } from '../http/exchange.ts';
import type { EventLog } from './events.ts';

/** The message of the line that each request has. */
const requestMessage = 'request';

/**
 * The process's log: lines for a reader in a terminal, one JSON object a line otherwise.
 * @param level the least that is written
 */
export async function createLogger(level: string, output: LogOutput): Promise<Logger> {
  const logger = process.stdout.isTTY
    ? pino({ level, base: null }, await readable(output))
    : pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
  output.onRecovery = (dropped) => logger.warn({ dropped }, 'the log could not be written: lines are lost');
  return logger;
}

/** An output for a reader, one line for each request. What makes its lines is loaded for a terminal alone. */
async function readable(output: LogOutput): Promise<DestinationStream & Pick<LogOutput, 'flushSync'>> {
  const { prettyFactory } = await import('pino-pretty');
  const translateTime = 'HH:MM:ss.l';
  const toRequest = prettyFactory({ translateTime, hideObject: true, messageFormat: requestText });
  // An error takes up more lines than one all the same.
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

/** A request in as few words as tell it: `GET /api/v1/auth/keys 200 in 1.2 ms, apiKeys`. */
function requestText(line: LogLine): string {
  const { method, route = 'an unknown path', status, milliseconds, operation, reason } = line;
  const { clientAddress, requestId } = line;
  const isFailure = typeof status === 'number' && status >= 500;
  const details = [operation, reason, clientAddress && `from ${clientAddress}`, isFailure && requestId];
  return [`${method} ${route} ${status} in ${milliseconds} ms`, ...details.filter(Boolean)].join(', ');
}

/**
 * Gives each request one line in the log, and its answer the id by which that is found. Neither tokens, bodies, query
 * strings nor paths as they were called are written; who the client is, only by its account, unless asked for.
 * @param logsAddress whether the client's IP address is written too
 */
export const logRequests =
  (logger: Logger, logsAddress: boolean): Middleware =>
  (next) =>
  async (exchange) => {
    const { headers, record } = exchange;
    record.traceId = parseTraceId(headers['traceparent']);
    const answer = await next(exchange);
    answer.headers['x-request-id'] = record.requestId;
    if (record.failure && record.failure.status >= 500) logFailure(logger, record);
    if (logger.isLevelEnabled('info'))
      logger.info(requestLine(answer.status, record, logsAddress ? exchange.address : null), requestMessage);
    return answer;
  };

const logFailure = (logger: Logger, { requestId, traceId, spanId, failure }: RequestRecord) =>
  logger.error(
    { requestId, traceId, spanId, reason: failure?.reason, error: describeError(failure?.cause) },
    failure?.message,
  );

/** An error for the log. Of a database's error no message is kept: it repeats the values of the query. */
export function describeError(error: unknown): Record<string, unknown> | undefined {
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
  accountId: record.accountId ?? record.failure?.accountId,
  reason: record.failure?.reason,
});

// Of version 00 nothing may follow; of a later one more parts may.
const traceparent =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2}(?=.{53}(?:-|$)))-((?!0{32})[\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}/;

/**
 * The trace that a caller says its request belongs to, by the header `traceparent` (W3C Trace Context, section 3.2).
 * @returns 32 hexadecimal digits; undefined where the header is not there or not valid
 */
export const parseTraceId = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : traceparent.exec(header)?.[1];

/** An event log of one request: each event under its own name, with the ids of the request and of its trace. */
export const createEventLog =
  (logger: Logger, { requestId, traceId, spanId }: RequestIds): EventLog =>
  (name, { reason: _, ...event }) => {
    const line: object = { requestId, traceId, spanId, event: name, ...event };
    logger.info(line, `${name}`);
  };

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
