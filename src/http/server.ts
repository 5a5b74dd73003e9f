import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Config, HttpLimits } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { isLocal } from './forwarded.ts';
import { inTurn } from './load.ts';
import { answerShortly, createRefusals, noteDrops, refusal } from './short-answers.ts';

/**
 * The class of a server's answers. From the moment that it stops, each says that it is the last of its connection
 * (`Connection: close`), and ends it: a client that keeps connections then makes a new one, in place of losing a request
 * with the old one.
 * @param isStopping whether the server stops
 */
const lastAnswersOnce = (isStopping: () => boolean) =>
  class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override writeHead(...head: unknown[]): this {
      if (isStopping()) this.shouldKeepAlive = false;
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }
  };

const isHost = (host: string): boolean =>
  /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) &&
  // No such port, or no such address.
  URL.canParse(`http://${host}`);

/** Hosts by whether they are one: clients know this service by a few. */
const hosts = new LRUCache<string, boolean>({ max: 100, memoMethod: isHost });

/** Of several Host headers, Node would take the first (RFC 9112, section 3.2). */
const hasOneHost = (rawHeaders: readonly string[]): boolean => {
  const isHostName = (text: string, index: number) =>
    index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host';
  return rawHeaders.findIndex(isHostName) === rawHeaders.findLastIndex(isHostName);
};

const isWellFormed = ({ url, headers: { host }, rawHeaders }: IncomingMessage): boolean =>
  url?.startsWith('/') === true &&
  // What the URL standard would tidy away: backslashes, a fragment, dot segments.
  !/[\\#]|\/(\.|%2e){1,2}(?=\/|$)/i.test(url.split('?', 1)[0] ?? '') &&
  hosts.memo(host ?? '') &&
  hasOneHost(rawHeaders);

/** How often connections are looked at for one that is late, in milliseconds. */
const sweepInterval = 500;

/**
 * An HTTP server in front of a listener, within limits; the requests of a connection are answered in turn. A request
 * target that is not a path, or a host that is not one, could make the URL read as another: such a request is answered
 * 400 here, as is what is no HTTP. One that does not arrive in time is answered 408, one that is not answered in time
 * 503.
 * @param logger gets a line for each request that is refused here
 * @param isStopping whether answers are the last of their connections by now
 */
export function createHttpServer(
  listener: RequestListener,
  limits: HttpLimits,
  logger: Logger,
  isStopping = () => false,
): Server {
  const { malformed, late, unreadable } = createRefusals(logger);
  const { timeouts } = limits;
  const options = {
    ServerResponse: lastAnswersOnce(isStopping),
    maxHeaderSize: limits.headers,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: sweepInterval,
    // One without a body has no event of its end: nobody here waits for it.
    optimizeEmptyRequests: true,
    // It is answered 400 below, like any other Host that is none.
    requireHostHeader: false,
  };
  const answer = inTurn((request, response) => {
    // By the time-out of the connection, of which there is one whatever comes over it.
    response.on('timeout', late);
    if (isWellFormed(request)) return listener(request, response);
    malformed(response);
  });
  // An expectation that is unknown may be ignored (RFC 9110, section 10.1.1); Node would answer it itself.
  const server = createServer(options, answer).on('checkExpectation', answer);
  server.timeout = timeouts.answer;
  server.maxConnections = limits.connections;
  noteDrops(server, logger);
  return server.on('clientError', unreadable);
}

/** Starts listening; resolves with the port when it does. */
export const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });

/** How long requests in flight may take to finish when the server stops. */
const graceMilliseconds = 8000;

/** How often connections that have become idle are closed then. */
const sweepMilliseconds = 100;

/**
 * Stops listening, lets requests in flight finish, and then cuts what is left.
 * @param logger told where there is something to wait for, and what is cut
 */
export const stop = (server: Server, logger?: Logger): Promise<void> =>
  new Promise((resolve) => {
    const tell = (level: 'info' | 'warn', message: string) =>
      server.getConnections((_error, connections) => {
        if (connections > 0) logger?.[level]({ connections }, message);
      });
    const cut = setTimeout(() => {
      tell('warn', 'requests in flight take too long: cutting them off');
      server.closeAllConnections();
    }, graceMilliseconds);
    // Most stops are over by then.
    const wait = setTimeout(tell, sweepMilliseconds, 'info', 'waiting for requests in flight');
    // A connection is idle only once its answer is sent; a client that keeps it would hold the process up.
    const sweep = setInterval(() => server.closeIdleConnections(), sweepMilliseconds);
    server.close(() => {
      clearTimeout(cut);
      clearTimeout(wait);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });

const ok = '{"status":"ok"}';
const unavailable = '{"status":"unavailable"}';

/** A part of the service that cannot be used, and why not, in words. */
export interface Part {
  readonly part: 'database' | 'verification keys';
  /** Whose keys they are. */
  readonly issuer?: string;
  readonly fault: string;
}

/** Whether requests can be served. */
export interface Verdict {
  readonly isReady: boolean;
  /** What cannot be used; where some still can be served, it may be ready all the same. */
  readonly faults: readonly Part[];
}

const notReady: Verdict = { isReady: false, faults: [] };

/**
 * Health, for those who run the service: whether the process lives, and whether it is ready for requests. It is
 * answered in front of everything else, on these request targets to the letter. Which part is not ready is said to
 * whoever asks on this machine, and to nobody else.
 */
export class Health {
  #ask: () => Verdict | Promise<Verdict> = () => notReady;

  /** From now on it is ready when this says so. */
  readyBy(ask: () => Promise<Verdict>): void {
    this.#ask = ask;
  }

  /**
   * From now on it is not ready.
   * @param milliseconds resolves after them: until then requests still come from those who have yet to notice
   */
  async stop(milliseconds: number): Promise<void> {
    this.#ask = () => notReady;
    if (milliseconds > 0) await delay(milliseconds);
  }

  /** Answers a request that asks about health; false for any other. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url } = request;
    if (url !== '/health/live' && url !== '/health/ready') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      answerShortly(response, 405, refusal(405), { allow: 'GET, HEAD' });
    else if (url === '/health/live') answerShortly(response, 200, ok);
    else void this.#answerReady(request, response);
    return true;
  }

  async #answerReady(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { isReady, faults } = await this.#ask();
    // It may have been answered for its time-out meanwhile.
    if (response.headersSent) return;
    if (isReady) answerShortly(response, 200, ok);
    else answerShortly(response, 503, isLocal(request) ? unavailableFor(faults) : unavailable);
  }
}

const unavailableFor = (faults: readonly Part[]): string =>
  faults.length === 0 ? unavailable : JSON.stringify({ status: 'unavailable', faults });

const starting: RequestListener = (_request, response) => {
  answerShortly(response, 503, refusal(503), { 'retry-after': '1' });
};

/**
 * Listens on the configured port. Health is answered from then on; anything else is 503 until there is what serves it.
 * Disposing of it ends health's readiness, says in each answer that its connection closes, waits for those who go by
 * either, answers what is in flight, and closes.
 * @throws {ConfigError} where nothing can listen there
 */
export async function openServer(config: Config, logger: Logger) {
  const health = new Health();
  let listener = starting;
  let isStopping = false;
  const server = createHttpServer(
    (request, response) => health.answer(request, response) || listener(request, response),
    config.http,
    logger,
    () => isStopping,
  );
  const port = await listen(server, config.port, config.host).catch(refusePort(config));
  return {
    port,
    health,
    handOver: (next: RequestListener): void => {
      listener = next;
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      isStopping = true;
      const seconds = config.shutdownDelay / 1000;
      if (seconds > 0) logger.info({ seconds }, 'still answering, while load balancers take notice');
      await health.stop(config.shutdownDelay);
      await stop(server, logger);
    },
  };
}

const refusePort =
  ({ host, port }: Config) =>
  (error: NodeJS.ErrnoException): never => {
    const reasons: Record<string, string> = {
      EADDRINUSE: `PORT ${port} is in use on ${host}: set another one`,
      EACCES: `PORT ${port} may not be used by this user: set one above 1023`,
      EADDRNOTAVAIL: `HOST ${host} is no address of this machine`,
    };
    const reason = reasons[error.code ?? ''];
    throw reason ? new ConfigError([reason]) : error;
  };
