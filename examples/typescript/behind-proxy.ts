// An API behind a proxy that asks Keyward about each request. It checks that the proxy asked for the permission that
// each route needs. So a lost rule, or a path or method that the proxy reads differently, lets nobody in.
//
//   PORT=8080 node examples/typescript/behind-proxy.ts
import { createServer, type IncomingMessage } from 'node:http';

const { PORT = '8080' } = process.env;

/** The methods of each route, and the permission that each needs; undefined: any key will do. */
const routes: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  documents: { GET: 'documents.read', POST: 'documents.write' },
  profile: { GET: undefined },
};

/** The account that sent the request. Undefined if the proxy did not ask for the permission. */
function accountOf({ headers }: IncomingMessage, permission?: string): string | undefined {
  const asked = `${headers['x-keyward-permissions'] ?? ''}`.split(' ');
  if (permission !== undefined && !asked.includes(permission)) return undefined;
  return headers['x-keyward-user'] as string | undefined;
}

createServer((request, response) => {
  const send = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
  const [, name = ''] = (request.url ?? '').split(/[/?]/);
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  if (!Object.hasOwn(routes, name)) return send(404, { detail: 'Not Found' });
  const route = routes[name] ?? {};
  if (!Object.hasOwn(route, method)) return send(405, { detail: 'Method Not Allowed' });
  const permission = route[method];
  const account = accountOf(request, permission);
  if (account !== undefined) return send(200, { user_id: Number(account) });
  console.error(
    `The proxy did not ask for ${permission ?? 'a key'}: request ${request.headers['x-request-id']}`,
  );
  send(403, { detail: 'Forbidden' });
}).listen(Number(PORT), '127.0.0.1');
