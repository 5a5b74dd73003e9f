import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { canonicalAddress, createAddressTest } from '../config/addresses.ts';
import type { Middleware } from './exchange.ts';

/** One hop of `X-Forwarded-For`, without the port that some proxies add. Undefined where it is no address. */
const readHop = (text: string): string | undefined => {
  const hop = text.trim();
  const [, bracketed = /^[\d.]+(?=:\d+$)/.exec(hop)?.[0]] = /^\[(.+)\](?::\d+)?$/.exec(hop) ?? [];
  const address = bracketed ?? hop;
  return isIP(address) === 0 ? undefined : canonicalAddress(address);
};

/**
 * Takes the client's address from `X-Forwarded-For`, as far as it was written by proxies that are trusted: from the
 * last hop inwards, up to the first that is not one of them. `X-Forwarded-Proto` is only looked at for plain HTTP.
 * @param proxies addresses and ranges of the proxies that are trusted
 */
export function forwarded(proxies: readonly string[]): Middleware {
  const isTrusted = remember(createAddressTest(proxies));
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

/** The same test; of the addresses that were last asked about, the answer is known. */
function remember(test: (address: string) => boolean): (address: string) => boolean {
  const known = new LRUCache<string, boolean>({ max: 1000 });
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const answer = test(address);
    known.set(address, answer);
    return answer;
  };
}

/** What proxies add to a request. */
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
 * Whether somebody on this machine has sent a request. A proxy on this machine sends those of strangers: it is known by
 * what it adds, or by the host that the stranger has asked for.
 */
export const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopbackAddress(socket.remoteAddress ?? '') &&
  isLoopbackHost(headers.host ?? '') &&
  !ofProxies.some((name) => name in headers);
