// An API behind a proxy that asks Keyward about each request. It checks that the proxy has asked for what each route
// needs: so a rule that got lost, or a path that the proxy has read otherwise, lets nobody in.
//
//   PORT=8080 node examples/typescript/behind-proxy.ts
import { createServer, type IncomingMessage } from 'node:http';

const { PORT = '8080' } = process.env;

/** The routes, and the permission that each needs. */
const routes = new Map([
  ['documents', 'documents.read'],
  ['profile', undefined],
]);

/** Whose request it is; undefined where the proxy did not ask for the permission. */
function accountOf({ headers }: IncomingMessage, permission?: string): string | undefined {
  const asked = `${headers['x-keyward-permissions'] ?? ''}`.split(' ');
  if (permission !== undefined && !asked.includes(permission)) return undefined;
  return headers['x-keyward-user'] as string | undefined;
}

createServer((request, response) => {
  const send = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
  const [, route = ''] = (request.url ?? '').split(/[/?]/);
  if (!routes.has(route)) return send(404, { detail: 'Not Found' });
  const permission = routes.get(route);
  const account = accountOf(request, permission);
  if (account !== undefined) return send(200, { user_id: Number(account) });
  console.error(`The proxy did not ask for ${permission ?? 'a key'}`);
  send(403, { detail: 'Forbidden' });
}).listen(Number(PORT), '127.0.0.1');
