// An API as a handler of Fetch, which a server of Node calls.
import { type HttpBindings, serve } from '@hono/node-server';
import { withApiKey } from '@keyward/node/fetch';
import { describe, keyward, listenAt, needs } from './keyward.ts';

type Handler = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;

/** The server passes the request and the response of Node. */
const address = (_request: Request, { incoming }: HttpBindings) => incoming.socket.remoteAddress;

const routes: Readonly<Record<string, Handler>> = {
  'GET /me': withApiKey(keyward, { ...needs.me, address }, (_request, { keyward }) =>
    Response.json(describe(keyward)),
  ),
  'GET /documents': withApiKey(keyward, { ...needs.documents, address }, (_request, { keyward }) =>
    Response.json(describe(keyward)),
  ),
  'POST /exports': withApiKey(keyward, { ...needs.exports, address }, (_request, { keyward }) =>
    Response.json(describe(keyward)),
  ),
  'GET /health': () => Response.json({ ok: true }),
};

serve({
  fetch: (request, bindings) => {
    const route = routes[`${request.method} ${new URL(request.url).pathname}`];
    return (
      route?.(request, bindings as HttpBindings) ?? Response.json({ detail: 'Not Found' }, { status: 404 })
    );
  },
  port: listenAt.port,
  hostname: listenAt.host,
});
