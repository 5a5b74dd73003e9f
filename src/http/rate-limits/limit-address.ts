import { isIPv6 } from 'node:net';
import { createAddressTest } from '../../config/addresses.ts';
import type { Middleware } from '../exchange.ts';
import type { Limiter } from './limiter.ts';

const isMapped = /^::ffff:(?=[\d.]+$)/;

/**
 * Who an address is counted as: an IPv4 address as itself, also where it comes mapped into IPv6; an IPv6 address as its
 * network (/64), since whoever has one address of it has all.
 */
export function clientKeyOf(address: string): string {
  const plain = address.replace(isMapped, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::', 2);
  const groups = (text: string | undefined) => text?.split(':').filter((group) => group !== '') ?? [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups(head).length - groups(tail).length);
  const network = [...groups(head), ...Array<string>(zeros).fill('0'), ...groups(tail)].slice(0, 4);
  return `${network.join(':')}::/64`;
}

/**
 * Counts each request of a client address, before its token is looked at: so guessing tokens is bounded as well.
 * Preflights cost nothing, and are not counted.
 * @param exempt addresses and ranges that are not counted
 */
export function limitAddress(limiter: Limiter, exempt: readonly string[]): Middleware {
  const isExempt = exempt.length > 0 ? createAddressTest(exempt) : () => false;
  return (next) => async (exchange) => {
    const address = exchange.address ?? '';
    const isCounted = exchange.request.method !== 'OPTIONS' && !isExempt(address);
    if (isCounted) limiter.count(clientKeyOf(address), exchange);
    return next(exchange);
  };
}
