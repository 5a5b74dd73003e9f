import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Config, HttpLimits } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { isLocal } from './forwarded.ts';
import { inTurn } from './load.ts';
import { withoutPublicPath } from './public-path.ts';
import { declaresBody } from './read-request.ts';
import { answerShortly, createRefusals, noteDrops } from './short-answers.ts';

/**
 * Whether the body that a request declares has not arrived as a whole. The rest may never come: then the connection's
 * next request, perhaps another client's behind a proxy, would be read as this body.
 */
const isBodyMissing = (request: IncomingMessage): boolean => !request.complete && declaresBody(request);

/**
 * Makes the class of a server's responses. Once the server stops, each response announces that it is the last of its
 * connection (`Connection: close`) and closes the connection. A client with a pool of connections then opens a new
 * one, and loses no request with the old one. The same holds for a response that comes before the whole request.
 * @param isStopping whether the server is stopping
 */
const lastAnswersOnce = (isStopping: () => boolean) =>
  class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override writeHead(...head: unknown[]): this {
      if (isStopping() || isBodyMissing(this.req)) this.shouldKeepAlive = false;
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }
  };

const isHost = (host: string): boolean =>
  /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host) &&
  // Refuses an impossible port or address.
  URL.canParse(`http://${host}`);

/** Remembers which hosts are well-formed: clients use only a few names of this service. */
const hosts = new LRUCache<string, boolean>({ max: 100, memoMethod: isHost });

/**
 * The fields that decide something and have one value (RFC 9110, section 5.3). Of several, Node would take the first,
 * and a proxy may take the last. Node joins other fields with commas, so nothing is lost.
 */
const singleFields = ['host', 'content-type', 'authorization', 'keyward-account', 'keyward-organization'];

/** The same by length. */
const byLength: readonly (string | undefined)[] = Array.from({ length: 21 }, (_, length) =>
  singleFields.find((name) => name.length === length),
);

/** Whether a request has each of these fields at most once. It runs for every request, so it makes no objects. */
function hasSingleFields(rawHeaders: readonly string[]): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    const name = byLength[given.length];
    if (name === undefined || given.toLowerCase() !== name) continue;
    const bit = 1 << name.length;
    if (found & bit) return false;
    found |= bit;
  }
  return true;
}

/** The host of a request without one. The name belongs to nobody (RFC 6761, section 6.4). */
const noHost = 'host.invalid';

/**
 * Reads the forms of a request that servers must accept besides the usual one: a target with a scheme and a host, which
 * then replaces the Host field (RFC 9112, section 3.2.2), and HTTP/1.0 without Host, as health checks use it.
 */
function readTarget(request: IncomingMessage): void {
  if (request.url?.startsWith('/') && request.httpVersion !== '1.0') return;
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? [];
  if (host !== undefined) {
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
    request.headers.host = host;
  }
  if (request.httpVersion === '1.0') request.headers.host ??= noHost;
}

const isWellFormed = ({ url, headers: { host }, rawHeaders }: IncomingMessage): boolean =>
  url?.startsWith('/') === true &&
  // Refuses everything that the URL standard would normalise: backslashes, a fragment, dot segments. And dot segments
  // beside an encoded slash, which a proxy may resolve before it compares the path with its rules.
  !/[\\#]|(\/|%2f|%5c)(\.|%2e){1,2}(?=\/|%2f|%5c|$)/i.test(url.split('?', 1)[0] ?? '') &&
  hosts.memo(host ?? '') &&
  hasSingleFields(rawHeaders);

/** The interval between two searches for late requests, in milliseconds. */
const sweepInterval = 500;

/**
 * Makes an HTTP server around a listener, with limits. The requests of a connection are handled one after another.
 *
 * The server itself answers some requests: 400 if the request target is no path or the host is malformed (the URL
 * could then mean another one), if a field that must be single is there twice, or if the bytes are no HTTP; 408 if the
 * request does not arrive in time; 503 if its answer is not ready in time.
 * @param logger gets a line for each request that the server refuses itself
 * @param isStopping whether each answer must now be the last of its connection
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
    // A request without a body then has no `end` event; nothing here waits for one.
    optimizeEmptyRequests: true,
    // The check below answers 400, as for any other malformed Host.
    requireHostHeader: false,
  };
  const answer = inTurn((request, response) => {
    // The event comes from the time-out of the connection (`server.timeout`), whatever arrives on that connection.
    response.on('timeout', late);
    // Node has dropped what followed the header fields, and would read the rest of the body as the next request.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    readTarget(request);
    if (isWellFormed(request)) return listener(request, response);
    malformed(response);
  });
  // A server may ignore an unknown expectation (RFC 9110, section 10.1.1). Node itself would refuse the request.
  const server = createServer(options, answer).on('checkExpectation', answer);
  server.timeout = timeouts.answer;
  server.maxConnections = limits.connections;
  noteDrops(server, logger);
  return server.on('clientError', unreadable);
}

/**
 * Starts listening.
 * @returns the port, once the server listens
 */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}

/** The time for which a stopping server waits for requests in flight, in milliseconds. */
const graceMilliseconds = 8000;

/** The interval at which a stopping server closes idle connections, in milliseconds. */
const sweepMilliseconds = 100;

/**
 * Stops listening, lets requests in flight finish, and then closes the remaining connections.
 * @param logger gets a line if the stop has to wait, and a line if it closes connections
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
    // Most stops end before this.
    const wait = setTimeout(tell, sweepMilliseconds, 'info', 'waiting for requests in flight');
    // A connection becomes idle only after its answer is sent; a client that keeps it open would delay the stop.
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

/** A part of the service that is unusable, and the reason in words. */
export interface Part {
  readonly part: 'database' | 'verification keys';
  /** The issuer of the verification keys. */
  readonly issuer?: string;
  readonly fault: string;
}

/** Whether the service can handle requests. */
export interface Verdict {
  readonly isReady: boolean;
  /** Whether a ready service cannot do all its work, because of the database. */
  readonly isDegraded?: boolean;
  /** The unusable parts. The service may still be ready, if it can handle some requests. */
  readonly faults: readonly Part[];
}

const notReady: Verdict = { isReady: false, faults: [] };

/**
 * Answers the health checks of operators: whether the process lives, and whether it is ready for requests. These
 * answers come before everything else, and only for exactly these request targets. Only a client on this machine
 * learns which part is not ready.
 */
export class Health {
  #ask: () => Verdict | Promise<Verdict> = () => notReady;

  /** From now on, this function decides whether the service is ready. */
  readyBy(ask: () => Promise<Verdict>): void {
    this.#ask = ask;
  }

  /**
   * From now on, the service is not ready.
   * @param milliseconds the wait before the promise resolves; until then, load balancers that have not yet noticed
   *   still send requests
   */
  async stop(milliseconds: number): Promise<void> {
    this.#ask = () => notReady;
    if (milliseconds > 0) await delay(milliseconds);
  }

  /** Answers a health check; returns false for any other request. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url } = request;
    if (url !== '/health/live' && url !== '/health/ready') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      answerShortly(response, 405, { allow: 'GET, HEAD' });
    else if (url === '/health/live') answerShortly(response, 200, {}, ok);
    else void this.#answerReady(request, response);
    return true;
  }

  async #answerReady(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verdict = await this.#ask();
    // The time-out may have answered the request meanwhile.
    if (response.headersSent) return;
    const status = statusOf(verdict);
    const faults =
      status !== 'ok' && isLocal(request) && verdict.faults.length > 0 ? verdict.faults : undefined;
    answerShortly(response, verdict.isReady ? 200 : 503, {}, JSON.stringify({ status, faults }));
  }
}

const statusOf = ({ isReady, isDegraded }: Verdict) => {
  if (!isReady) return 'unavailable';
  return isDegraded ? 'degraded' : 'ok';
};

const starting: RequestListener = (_request, response) => {
  answerShortly(response, 503, { 'retry-after': '1' });
};

/**
 * Listens on the configured port. The server then answers health checks; all other requests get 503 until
 * `handOver` names their listener.
 *
 * Disposing of the server ends its readiness, announces in each answer that its connection closes, waits for load
 * balancers and clients to notice either, lets the requests in flight finish, and closes.
 * @throws {ConfigError} if the server cannot listen there
 */
export async function openServer(config: Config, logger: Logger) {
  const health = new Health();
  let listener = starting;
  let isStopping = false;
  const { publicPath } = config.edge;
  const withoutPath = publicPath === '' ? undefined : withoutPublicPath(publicPath);
  const server = createHttpServer(
    (request, response) => {
      if (withoutPath) request.url = withoutPath(request.url ?? '/');
      return health.answer(request, response) || listener(request, response);
    },
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
      if (seconds > 0) logger.info({ seconds }, 'still answering until load balancers notice the stop');
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
