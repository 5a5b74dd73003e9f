import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Webhook } from 'standardwebhooks';
import { isAllowedHost, isRefusedHost } from '../../config/values/addresses.ts';
import type { WebhookDelivery } from '../../database/tables.ts';
import { checkedLookup, RefusedAddress } from './look-up.ts';
import { type Endpoint, longestOutcome } from './stored-endpoints.ts';

/**
 * The greatest part of an answer that is read, in bytes. The content does not matter, but a connection ends in good
 * order only after the whole answer.
 */
const mostRead = 16 * 1024;

/** The most interim answers (`100 Continue`, `103 Early Hints`) before the answer: each costs processor time. */
const mostInterim = 10;

/** The error for a receiver that sends interim answers in place of the answer. */
const endlessAnswer = () => Object.assign(new Error(), { code: 'too many interim answers' });

/** The outcome of an attempt. */
export interface Outcome {
  readonly isDelivered: boolean;
  /** A short description: `status 200`, `timeout`, `ECONNREFUSED`. */
  readonly text: string;
  /** Whether the receiver says that it is gone for good (410), and wants nothing more. */
  readonly isGone?: boolean;
  /** How long the receiver asks to wait (`Retry-After` of a 429 or 503), in milliseconds. */
  readonly retryAfter?: number;
}

/** The limits of an attempt. */
export interface SendOptions {
  /** The longest time for an attempt, in milliseconds. */
  readonly timeout: number;
  readonly userAgent: string;
  /** The hosts that may have a private address, some for one port alone. */
  readonly allowedHosts: readonly string[];
  /** The time now, for the signature. */
  readonly now: Date;
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
  endpoint: Pick<Endpoint, 'url' | 'secrets' | 'headers'>,
  delivery: Pick<WebhookDelivery, 'message' | 'payload'>,
  { timeout, userAgent, allowedHosts, now, signal }: SendOptions,
): Promise<Outcome> {
  // A host that is an address needs no look-up, so it is checked here.
  if (isRefusedHost(endpoint.url, allowedHosts)) return Promise.resolve(failed(new RefusedAddress()));
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const ends = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  let outcome: Outcome | undefined;
  const end = (otherwise: Outcome) => resolve(outcome ?? otherwise);
  // Whatever a receiver makes of the connection, the attempt ends in time.
  ends.addEventListener('abort', () => end(failed(ends.reason)));
  const request = (endpoint.url.startsWith('https:') ? https : http).request(endpoint.url, {
    method: 'POST',
    // The receiver may have closed a kept connection before its next use.
    agent: false,
    lookup: checkedLookup(isAllowedHost(endpoint.url, allowedHosts)),
    signal: ends,
    headers: {
      ...endpoint.headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(delivery.payload),
      'user-agent': userAgent,
      'webhook-id': delivery.message,
      'webhook-timestamp': Math.floor(now.getTime() / 1000),
      'webhook-signature': signatures(endpoint, delivery, now),
    },
  });
  request.on('error', (error) => end(failed(error)));
  // Node's client emits no error where the connection ends after an interim answer.
  request.on('close', () => end({ isDelivered: false, text: 'no answer' }));
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > mostInterim) request.destroy(endlessAnswer());
  });
  // Node's client leaves the connection to the listener, and emits nothing else.
  request.on('upgrade', (response, socket) => {
    socket.destroy();
    end(outcomeOf(response));
  });
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

function outcomeOf({ statusCode = 0, headers }: IncomingMessage): Outcome {
  const text = `status ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300) return { isDelivered: true, text };
  const retryAfter = waits.has(statusCode) ? readRetryAfter(headers['retry-after']) : undefined;
  return {
    isDelivered: false,
    text,
    ...(statusCode === 410 && { isGone: true }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** The statuses whose `Retry-After` counts. */
const waits: ReadonlySet<number> = new Set([429, 503]);

/** Reads a `Retry-After` (RFC 9110, section 10.2.3), in milliseconds: seconds or a date. Undefined: it is neither. */
function readRetryAfter(text = ''): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return /^[A-Z][a-z]{2}, /.test(text) && !Number.isNaN(date) ? date - Date.now() : undefined;
}

/** The outcome of a failure, by Node's error code: Node's message may contain addresses. */
function failed(error: Error & { readonly code?: unknown }): Outcome {
  const { name } = error.name === 'AbortError' ? ((error.cause ?? error) as Error) : error;
  const text = name === 'TimeoutError' ? 'timeout' : `${error.code ?? name}`;
  return { isDelivered: false, text: text.slice(0, longestOutcome) };
}
