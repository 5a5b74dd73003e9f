// An API with Node alone.
import { createServer, type RequestListener } from 'node:http';
import { withApiKey } from '@keyward/node/http';
import { describe, keyward, listenAt, needs } from './keyward.ts';

const send = (response: Parameters<RequestListener>[1], body: object, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const routes: Readonly<Record<string, RequestListener>> = {
  'GET /me': withApiKey(keyward, needs.me, ({ keyward }, response) => send(response, describe(keyward))),
  'GET /documents': withApiKey(keyward, needs.documents, ({ keyward }, response) =>
    send(response, describe(keyward)),
  ),
  'POST /exports': withApiKey(keyward, needs.exports, ({ keyward }, response) =>
    send(response, describe(keyward)),
  ),
  'GET /health': (_request, response) => send(response, { ok: true }),
};

createServer((request, response) => {
  const route = routes[`${request.method} ${request.url}`];
  if (route) route(request, response);
  else send(response, { detail: 'Not Found' }, 404);
}).listen(listenAt);
