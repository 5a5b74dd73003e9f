// Keyward's REST side by hand: node:http, jose, prepared statements, and nothing between them.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AccessTokens } from './access-tokens.ts';
import { accountAdmin, type Caller, requireScopes, signedIn } from './caller.ts';
import { readEnvironment } from './environment.ts';
import { invalidInput, Refusal } from './refusal.ts';
import type { RequestSource } from './request-source.ts';
import { parseSettings } from './settings-input.ts';
import { standardHeaders } from './standard-headers.ts';
import { openStore } from './store.ts';

const { port, databaseFile, issuer, audience } = readEnvironment();
const store = openStore(databaseFile);
const tokens = await AccessTokens.open(issuer, audience);

/** The largest request body, in bytes. */
const maximumBytes = 64 * 1024;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maximumBytes) throw new Refusal(413, 'PAYLOAD_TOO_LARGE', 'The body is too large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    throw invalidInput('The body is not valid JSON.', cause);
  }
}

interface Route {
  readonly scopes: readonly string[];
  readonly run: (caller: Caller, request: IncomingMessage, source: RequestSource) => unknown;
}

const status: Route = { scopes: signedIn, run: (caller) => store.privateKeyStatus(caller) };

const settings: Route = {
  scopes: signedIn,
  run: async (caller, request, source) =>
    store.updateAutomationSettings(caller, parseSettings(await readJson(request)), source),
};

const keys = '/api/v1/auth/keys/';

const deactivate: Route = {
  scopes: accountAdmin,
  run: (caller, { url = '' }, source) => {
    const id = url.slice(keys.length);
    if (!/^(0|-?[1-9]\d{0,9})$/.test(id)) throw invalidInput('Must be a decimal integer.');
    return store.deactivateApiKey(caller, Number(id), source);
  },
};

function findRoute({ method, url = '' }: IncomingMessage): Route {
  if (method === 'GET' && url === '/api/v1/auth/private-key') return status;
  if (method === 'PUT' && url === '/api/v1/automation/settings') return settings;
  if (method === 'DELETE' && url.startsWith(keys)) return deactivate;
  throw new Refusal(404, 'NOT_FOUND', 'Not Found');
}

function send(response: ServerResponse, requestId: string, statusCode: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(statusCode, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...standardHeaders(requestId),
  });
  response.end(text);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const source = { id: randomUUID(), address: request.socket.remoteAddress ?? null };
  try {
    const route = findRoute(request);
    const caller = await tokens.authenticate(request.headers.authorization);
    requireScopes(caller, route.scopes);
    send(response, source.id, 200, await route.run(caller, request, source));
  } catch (error) {
    const known = error instanceof Refusal;
    const detail = known ? error.message : 'Internal Server Error';
    send(response, source.id, known ? error.status : 500, { detail });
  }
}

createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1');
