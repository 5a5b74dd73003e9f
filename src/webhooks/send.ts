import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { hostOf, isPublicAddress } from '../config/addresses.ts';
import type { WebhookDelivery } from '../database/tables.ts';
import type { Endpoint } from './endpoints.ts';
import { checkedLookup, RefusedAddress } from './look-up.ts';

/**
 * The greatest part of an answer that is read, in bytes. The content does not matter, but a connection ends in good
 * order only after the whole answer.
 */
const mostRead = 16 * 1024;

/** The outcome of an attempt. */
export interface Outcome {
  readonly isDelivered: boolean;
  /** A short description: `status 200`, `timeout`, `ECONNREFUSED`. */
  readonly text: string;
}

/** The limits of an attempt. */
export interface SendOptions {
  /** The longest time for an attempt, in milliseconds. */
  readonly timeout: number;
  readonly userAgent: string;
  /** The hosts that may have a private address. */
  readonly allowedHosts: readonly string[];
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Signs with each secret, so that the receiver may have either. */
const signatures = (
  { secrets }: Pick<Endpoint, 'secrets'>,
  { message, payload }: Pick<WebhookDelivery, 'message' | 'payload'>,
  now: Date,
): string => secrets.map((secret) => new Webhook(secret).sign(message, now, payload)).join(' ');

/**
 * Sends a delivery once, on its own connection, by Standard Webhooks. It follows no redirect, uses no proxy, and
 * connects to a checked address. The status of the answer decides the outcome; only the beginning of the body is
 * read. The promise never rejects.
 */
export function send(
  endpoint: Pick<Endpoint, 'url' | 'secrets'>,
  delivery: Pick<WebhookDelivery, 'message' | 'payload'>,
  { timeout, userAgent, allowedHosts, signal }: SendOptions,
): Promise<Outcome> {
  const host = hostOf(endpoint.url);
  const isAllowed = allowedHosts.includes(host);
  // A host that is an address needs no look-up, so the check is here.
  if (isIP(host) !== 0 && !isAllowed && !isPublicAddress(host))
    return Promise.resolve(failed(new RefusedAddress()));
  const now = new Date();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const request = (endpoint.url.startsWith('https:') ? https : http).request(endpoint.url, {
    method: 'POST',
    // The receiver may have closed a kept connection before its next use.
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
    // The status decides the outcome, whatever happens to the rest of the answer.
    const answered = outcomeOf(response);
    outcome = answered;
    response.on('error', () => {}).on('close', () => resolve(answered));
    readSome(response);
  });
  request.end(delivery.payload);
  return promise;
}

/** Reads an answer to its end, unless it is too long. */
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

/** The outcome of a failure, by Node's error code: Node's message may contain addresses. */
function failed(error: Error & { readonly code?: unknown }): Outcome {
  const { name } = error.name === 'AbortError' ? ((error.cause ?? error) as Error) : error;
  const text = name === 'TimeoutError' ? 'timeout' : `${error.code ?? name}`;
  return { isDelivered: false, text: text.slice(0, 100) };
}
