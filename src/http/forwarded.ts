import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { canonicalAddress, createAddressTest } from '../config/values/addresses.ts';
import type { Middleware } from './exchange.ts';

/** Reads one hop of `X-Forwarded-For`, without the port that some proxies add; undefined if the text is no address. */
const readHop = (text: string): string | undefined => {
  const hop = text.trim();
  const [, bracketed = /^[\d.]+(?=:\d+$)/.exec(hop)?.[0]] = /^\[(.+)\](?::\d+)?$/.exec(hop) ?? [];
  const address = bracketed ?? hop;
  return isIP(address) === 0 ? undefined : canonicalAddress(address);
};

/**
 * Takes the client's address from `X-Forwarded-For`, as far as trusted proxies wrote it: from the last hop inwards,
 * up to the first hop that is no trusted proxy. From `X-Forwarded-Proto`, it only learns whether the client used
 * plain HTTP.
 * @param proxies addresses and ranges of the trusted proxies
 */
export function forwarded(proxies: readonly string[]): Middleware {
  const known = new LRUCache<string, boolean>({ max: 1000, memoMethod: createAddressTest(proxies) });
  const isTrusted = (address: string): boolean => known.memo(address);
  const clientOf = (peer: string, forwardedFor: string): string => {
    let address = peer;
    for (const hop of forwardedFor.split(',').reverse()) {
      const next = readHop(hop);
      if (next === undefined) break;
      address = next;
      if (!isTrusted(address)) break;
    }
    return address;
  };

  return (next) => (exchange) => {
    const { address: peer, headers } = exchange;
    if (peer === null || !isTrusted(peer)) return next(exchange);
    const forwardedFor = headers['x-forwarded-for'];
    if (forwardedFor !== undefined) exchange.address = clientOf(peer, forwardedFor);
    const protocol = headers['x-forwarded-proto'];
    exchange.isPlainHttp = protocol !== undefined && /^http\b(?!s)/i.test(protocol);
    return next(exchange);
  };
}

/** The header fields that proxies add to a request. */
const ofProxies = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

const isLoopbackAddress = (address: string): boolean => /^(::1|(::ffff:)?127\.[\d.]+)$/i.test(address);

const isLoopbackHost = (host: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(host);

/**
 * Whether a client on this machine sent the request. A proxy on this machine forwards the requests of strangers: the
 * proxy's header fields show this, or the host that the stranger asked for.
 */
export const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopbackAddress(socket.remoteAddress ?? '') &&
  isLoopbackHost(headers.host ?? '') &&
  !ofProxies.some((name) => name in headers);
