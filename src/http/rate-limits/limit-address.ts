import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createAddressTest } from '../../config/addresses.ts';
import type { Middleware } from '../exchange.ts';
import type { Limiter } from './limiter.ts';

/**
 * Who an address is counted as: an IPv4 address as itself, an IPv6 address as its network (/64), since whoever has one
 * address of it has all.
 * @param address in its canonical spelling
 */
export const clientKeyOf = (address: string): string =>
  isIPv6(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address;

/**
 * Counts each request of a client address, before its token is looked at: so guessing tokens is bounded as well.
 * @param exempt addresses and ranges that are not counted
 */
export function limitAddress(limiter: Limiter, exempt: readonly string[]): Middleware {
  const isExempt = createAddressTest(exempt);
  return (next) => async (exchange) => {
    const address = exchange.address ?? '';
    if (!isExempt(address)) limiter.count(clientKeyOf(address), exchange);
    return next(exchange);
  };
}
