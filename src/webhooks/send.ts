import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { hostOf, isPublicAddress } from '../config/addresses.ts';
import type { WebhookDelivery } from '../database/tables.ts';
import type { Endpoint } from './endpoints.ts';
import { checkedLookup, RefusedAddress } from './look-up.ts';

/** How much of an answer is read, in bytes: nobody needs it, and a connection is closed in good order at its end. */
const mostRead = 16 * 1024;

/** What an attempt came to. */
export interface Outcome {
  readonly isDelivered: boolean;
  /** In a few words: `status 200`, `timeout`, `ECONNREFUSED`. */
  readonly text: string;
}

/** What an attempt may take up, and where it may go. */
export interface SendOptions {
  /** How long it may take, in milliseconds. */
  readonly timeout: number;
  readonly userAgent: string;
  /** Hosts that may have a private address. */
  readonly allowedHosts: readonly string[];
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Signed by each secret, so that a receiver may have either. */
const signatures = (
  { secrets }: Pick<Endpoint, 'secrets'>,
  { message, payload }: Pick<WebhookDelivery, 'message' | 'payload'>,
  now: Date,
): string => secrets.map((secret) => new Webhook(secret).sign(message, now, payload)).join(' ');

/**
 * Sends a delivery once, on a connection of its own: by Standard Webhooks, following no redirect, through no proxy, and
 * to an address that was checked. Its status tells how it went; of the rest of the answer little is read. Never rejects.
 */
export function send(
  endpoint: Pick<Endpoint, 'url' | 'secrets'>,
  delivery: Pick<WebhookDelivery, 'message' | 'payload'>,
  { timeout, userAgent, allowedHosts, signal }: SendOptions,
): Promise<Outcome> {
  const host = hostOf(endpoint.url);
  const isAllowed = allowedHosts.includes(host);
  // What is an address already is never looked up.
  if (isIP(host) !== 0 && !isAllowed && !isPublicAddress(host))
    return Promise.resolve(failed(new RefusedAddress()));
  const now = new Date();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const request = (endpoint.url.startsWith('https:') ? https : http).request(endpoint.url, {
    method: 'POST',
    // A connection that is kept may have been closed by the other side when it is used next.
    agent: false,
    lookup: checkedLookup(isAllowed),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(delivery.payload),
      'user-agent': userAgent,
      'webhook-id': delivery.message,
      'webhook-timestamp': Math.floor(now.getTime() / 1000),
      'webhook-signature': signatures(endpoint, delivery, now),
    },
  });
  let outcome: Outcome | undefined;
  request.on('error', (error) => resolve(outcome ?? failed(error)));
  request.on('response', (response) => {
    // Its status decides, whatever becomes of the rest.
    const answered = outcomeOf(response);
    outcome = answered;
    response.on('error', () => {}).on('close', () => resolve(answered));
    readSome(response);
  });
  request.end(delivery.payload);
  return promise;
}

/** Reads an answer to its end, unless that is too far away. */
function readSome(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostRead) response.destroy();
  });
}

function outcomeOf({ statusCode = 0 }: IncomingMessage): Outcome {
  return { isDelivered: statusCode >= 200 && statusCode < 300, text: `status ${statusCode}` };
}

/** What went wrong, as Node names it: what it says beside that may have addresses in it. */
function failed(error: Error & { readonly code?: unknown }): Outcome {
  const { name } = error.name === 'AbortError' ? ((error.cause ?? error) as Error) : error;
  const text = name === 'TimeoutError' ? 'timeout' : `${error.code ?? name}`;
  return { isDelivered: false, text: text.slice(0, 100) };
}
