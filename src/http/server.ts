import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';

const isWellFormed = ({ url, headers: { host } }: IncomingMessage): boolean =>
  url?.startsWith('/') === true &&
  // What the URL standard would tidy away: backslashes, a fragment, dot segments.
  !/[\\#]|\/(\.|%2e){1,2}(?=\/|$)/i.test(url.split('?', 1)[0] ?? '') &&
  /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host ?? '') &&
  // No such port, or no such address.
  URL.canParse(`http://${host}`);

/**
 * An HTTP server in front of a listener. A request target that is not a path, or a host that is not one, could make
 * the URL read as another: such a request is answered 400 here.
 */
export function createHttpServer(listener: RequestListener): Server {
  return createServer({ maxHeaderSize: 16 * 1024 }, (request, response) => {
    if (isWellFormed(request)) return listener(request, response);
    response.writeHead(400, { 'content-type': 'application/json', connection: 'close' });
    response.end('{"detail":"Bad Request"}');
  });
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

/** Stops listening, lets requests in flight finish, and then cuts what is left. */
export const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
    // A connection is idle only once its answer is sent; a client that keeps it would hold the process up.
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
