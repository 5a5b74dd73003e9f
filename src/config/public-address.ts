import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address is one that anybody's server may have: none that is private, of this machine or its network, or
 * kept for another use. One that holds an IPv4 address inside an IPv6 one is that address where it is only written so
 * (`::ffff:10.0.0.1`), and none where a router would translate it.
 * @param address without a zone
 */
export const isPublicAddress = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.process(address).range() === 'unicast';

/** The host of a URL as `WEBHOOKS_ALLOW` names it: an IPv6 address without brackets. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[(.+)\]$/, '$1');

/**
 * Whether it is plain without a look-up that nothing may be sent to a host: it is this machine, or a private address.
 * @param allowed the hosts that may be
 */
export const isRefusedHost = (host: string, allowed: readonly string[]): boolean => {
  const isPrivate = isIP(host) === 0 ? host === 'localhost' : !isPublicAddress(host);
  return isPrivate && !allowed.includes(host);
};
