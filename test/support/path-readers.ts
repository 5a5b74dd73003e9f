import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import fastify from 'fastify';
import { Hono } from 'hono';

const require = createRequire(import.meta.url);

/** What is used of Express here, whichever version it is. */
type Express = () => RequestListener & {
  use: (...handlers: readonly [string, RequestListener] | readonly [RequestListener]) => void;
};

/** Where an application has brought a request. */
export interface Reading {
  readonly route: 'documents' | 'other';
  /** `X-Keyward-Permissions`, as it came. */
  readonly permissions?: string;
}

const reading = (route: Reading['route'], headers: IncomingHttpHeaders): Reading => ({
  route,
  permissions: `${headers['x-keyward-permissions'] ?? ''}`,
});

const answerAs =
  (route: Reading['route']): RequestListener =>
  ({ headers }, response) =>
    void response.end(JSON.stringify(reading(route, headers)));

function createExpress(express: Express): RequestListener {
  const app = express();
  app.use('/documents', answerAs('documents'));
  app.use(answerAs('other'));
  return app;
}

/** As liberal as it can be told to be. */
async function createFastify(): Promise<RequestListener> {
  const liberal = {
    caseSensitive: false,
    ignoreDuplicateSlashes: true,
    ignoreTrailingSlash: true,
    useSemicolonDelimiter: true,
  };
  const app = fastify({ routerOptions: liberal });
  const documents = async (request: { headers: IncomingHttpHeaders }) =>
    reading('documents', request.headers);
  for (const path of ['/documents', '/documents/*']) app.all(path, documents);
  app.setNotFoundHandler(async ({ headers }) => reading('other', headers));
  await app.ready();
  return (request, response) => app.routing(request, response);
}

function createHono(): RequestListener {
  const app = new Hono();
  for (const path of ['/documents', '/documents/*'])
    app.all(path, ({ req, json }) => json(reading('documents', req.header())));
  app.notFound(({ req, json }) => json(reading('other', req.header())));
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

/** Decodes what can be decoded, and leaves the rest. */
export const decode = (text: string): string =>
  text.replaceAll(/(%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });

const answerBy = ([name = '']: readonly string[]) =>
  answerAs(/^documents(?![\w-])/i.test(name) ? 'documents' : 'other');

/** Reads a target by the parser of URLs that browsers have. */
const readByUrl: RequestListener = (request, response) => {
  const url = URL.parse(request.url ?? '', 'http://api.example');
  if (url) answerBy(decode(url.pathname).slice(1).split('/'))(request, response);
  else response.writeHead(400).end();
};

/** Splits a target by hand, and reads into its path whatever any server does: by CGI, in servlets, on Windows. */
const readByHand: RequestListener = (request, response) => {
  const [path = ''] = (request.url ?? '').replace(/^[a-z]+:\/\/[^/?]*/i, '').split(/[?#]/);
  const segments: string[] = [];
  for (const segment of decode(path).split(/[/\\]/)) {
    const [name = ''] = segment.split(/[;\0]/);
    if (name === '..') segments.pop();
    else if (name !== '' && name !== '.') segments.push(name);
  }
  answerBy(segments)(request, response);
};

/** Applications, each of which reads paths in its way. All have a route `/documents`, with all that is below it. */
export const readers = ['Express 5', 'Express 4', 'Fastify', 'Hono', 'URL parser', 'raw split'] as const;

const createReaders = async (): Promise<Readonly<Record<(typeof readers)[number], RequestListener>>> => ({
  'Express 5': createExpress(require('express')),
  'Express 4': createExpress(require('express-4')),
  Fastify: await createFastify(),
  Hono: createHono(),
  'URL parser': readByUrl,
  'raw split': readByHand,
});

/**
 * Starts the applications behind one port: a request names one of them in `X-Reader`. Their answers have the target in
 * `X-Target` as it came, encoded once more.
 */
export async function startPathReaders() {
  const listeners = await createReaders();
  const server = createServer((request, response) => {
    response.setHeader('x-target', encodeURIComponent(request.url ?? ''));
    listeners[request.headers['x-reader'] as (typeof readers)[number]](request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
