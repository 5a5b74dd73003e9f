// A provider's server that asks Keyward about the API key of each request. Its documents need a permission.
//
//   KEYWARD_SERVER_SECRET=… PORT=8080 node examples/typescript/verify-keys.ts
import { createServer, type IncomingMessage } from 'node:http';

const { KEYWARD_URL = 'http://127.0.0.1:4000', KEYWARD_SERVER_SECRET = '', PORT = '8080' } = process.env;
if (!KEYWARD_SERVER_SECRET)
  throw new Error('KEYWARD_SERVER_SECRET is missing: of a server with the scope keys.verify');

interface Verification {
  valid: boolean;
  reason: string | null;
  user_id: number | null;
}

/** The status for each reason. All other reasons, also new ones, get 403. */
const statuses: Record<string, number> = {
  ...{ not_found: 401, inactive: 401, expired: 401, rotated: 401, paused: 401 },
  ...{ rate_limited: 429, account_rate_limited: 429, quota_exceeded: 429, account_quota_exceeded: 429 },
};

/** Asks whether a request may pass. If Keyward does not say so, this throws, and the request may not pass. */
async function verify(request: IncomingMessage, permissions: string[]): Promise<Verification> {
  const [, key = ''] = /^Bearer +(.*)$/i.exec(request.headers.authorization ?? '') ?? [];
  const answer = await fetch(`${KEYWARD_URL}/api/v1/keys/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEYWARD_SERVER_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key: key.slice(0, 1000), permissions, address: request.socket.remoteAddress }),
    signal: AbortSignal.timeout(5000),
  });
  if (!answer.ok) throw new Error(`Keyward answers ${answer.status}`);
  return (await answer.json()) as Verification;
}

createServer(async (request, response) => {
  const permissions = request.url === '/documents' ? ['documents.read'] : [];
  const send = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
  try {
    const { valid, reason, user_id } = await verify(request, permissions);
    if (valid) send(200, { user_id });
    else send(statuses[reason ?? ''] ?? 403, { reason });
  } catch (error) {
    console.error(error);
    send(503, { reason: 'unknown' });
  }
}).listen(Number(PORT), '127.0.0.1');
