import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';
import ipaddr from 'ipaddr.js';

const loopback = ['127.0.0.0/8', '::1'];

interface AddressRange {
  readonly network: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** An IP address, or a range of them (CIDR, RFC 4632); undefined for anything else. */
function parseAddressRange(text: string): AddressRange | undefined {
  const [network = '', suffix] = text.split('/', 2);
  const bits = isIP(network) === 6 ? 128 : 32;
  const prefix = suffix === undefined ? bits : Number(suffix);
  if (isIP(network) === 0 || network.includes('%')) return undefined;
  if (!/^\d{1,3}$/.test(suffix ?? '0') || text.split('/').length > 2 || prefix > bits) return undefined;
  return { network, prefix, family: familyOf(network) };
}

const rangesOf = (text: string) => (text === 'loopback' ? loopback : [text]).map(parseAddressRange);

/** Whether a text is an IP address, a range of them such as `10.0.0.0/8`, or `loopback`. */
export const isAddressRange = (text: string): boolean => rangesOf(text).every((range) => range !== undefined);

/**
 * Whether an IP address lies in one of some ranges; an IPv4 address may come mapped into IPv6.
 * @param texts of which `isAddressRange` holds
 */
export function createAddressTest(texts: readonly string[]): (address: string) => boolean {
  if (texts.length === 0) return () => false;
  const list = new BlockList();
  for (const range of texts.flatMap(rangesOf)) {
    if (range) list.addSubnet(range.network, range.prefix, range.family);
  }
  return (address) => isIP(address) !== 0 && list.check(withoutZone(address), familyOf(address));
}

/** An address without the network interface that may follow a link-local one, of any length. */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? address;

const isMapped = /^::ffff:(?=[\d.]+$)/;

/**
 * The one spelling of an IP address by which it is compared, counted and written down: an IPv6 address as RFC 5952 has
 * it and without a zone, an IPv4 address that comes mapped into IPv6 as itself.
 * @param address of which `isIP` holds
 */
export function canonicalAddress(address: string): string {
  if (isIPv4(address)) return address;
  const spelled = new SocketAddress({ address: withoutZone(address), family: 'ipv6' });
  return spelled.address.replace(isMapped, '');
}

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
