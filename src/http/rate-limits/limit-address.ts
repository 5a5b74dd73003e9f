import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createAddressTest } from '../../config/values/addresses.ts';
import type { Middleware } from '../exchange.ts';
import type { Limiter } from './limiter.ts';

/**
 * The client that an address counts for: an IPv4 address itself, or the /64 network of an IPv6 address, because a
 * client with one address of the network has all of them. `2001:db8::1` counts for `2001:db8::/64`.
 * @param address in its canonical spelling
 */
export const clientKeyOf = (address: string): string =>
  isIPv6(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address;

/**
 * Counts each request of a client address, before any check of its token, so that it also limits guesses of tokens.
 * @param exempt addresses and ranges that do not count
 */
export function limitAddress(limiter: Limiter, exempt: readonly string[]): Middleware {
  const isExempt = createAddressTest(exempt);
  return (next) => async (exchange) => {
    const address = exchange.address ?? '';
    if (!isExempt(address)) limiter.count(clientKeyOf(address), exchange);
    return next(exchange);
  };
}
