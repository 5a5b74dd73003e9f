import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';
import ipaddr from 'ipaddr.js';

const loopback = ['127.0.0.0/8', '::1'];

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Parses an IP address or a range of addresses (CIDR, RFC 4632); undefined for anything else. */
function parseAddressRange(text: string) {
  const [network = '', suffix] = text.split('/', 2);
  const bits = isIP(network) === 6 ? 128 : 32;
  const prefix = suffix === undefined ? bits : Number(suffix);
  if (isIP(network) === 0 || network.includes('%')) return undefined;
  if (!/^\d{1,3}$/.test(suffix ?? '0') || text.split('/').length > 2 || prefix > bits) return undefined;
  return { network, prefix, family: familyOf(network) } as const;
}

const rangesOf = (text: string) => (text === 'loopback' ? loopback : [text]).map(parseAddressRange);

/** Whether a text is an IP address, a range of addresses such as `10.0.0.0/8`, or `loopback`. */
export const isAddressRange = (text: string): boolean => rangesOf(text).every((range) => range !== undefined);

/**
 * Makes a test of whether an IP address lies in one of the given ranges. IPv4 addresses mapped into IPv6
 * (`::ffff:10.0.0.1`) count as IPv4 addresses.
 * @param texts addresses and ranges that pass {@link isAddressRange}
 */
export function createAddressTest(texts: readonly string[]): (address: string) => boolean {
  if (texts.length === 0) return () => false;
  const list = new BlockList();
  for (const range of texts.flatMap(rangesOf)) {
    if (range) list.addSubnet(range.network, range.prefix, range.family);
  }
  return (address) => isIP(address) !== 0 && list.check(withoutZone(address), familyOf(address));
}

/** An address without its zone: the network interface, of any length, that may follow a link-local address. */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? address;

const isMapped = /^::ffff:(?=[\d.]+$)/;

/**
 * The canonical spelling of an IP address, for comparing, counting and logging: an IPv6 address as in RFC 5952 and
 * without its zone, an IPv4 address that is mapped into IPv6 as plain IPv4. `::FFFF:10.0.0.1` → `10.0.0.1`.
 * @param address a text that passes `isIP`
 */
export function canonicalAddress(address: string): string {
  if (isIPv4(address)) return address;
  const spelled = new SocketAddress({ address: withoutZone(address), family: 'ipv6' });
  return spelled.address.replace(isMapped, '');
}

/** Whether an IPv6 address is of the one range that IANA assigns from (RFC 4291). The rest of IPv6 is reserved. */
const isAssigned = createAddressTest(['2000::/3']);

/**
 * Addresses that were assigned like any other, but lead a machine of a cloud to the cloud itself. The other metadata
 * services have addresses that are reserved: 169.254.0.0/16, 100.64.0.0/10 (Alibaba), 192.0.0.0/24 (Oracle), fd00::/8.
 */
const isOfCloud = createAddressTest([
  // Azure: its platform, which also hands out certificates and settings of a machine.
  '168.63.129.16',
  // Google Kubernetes Engine: the services of a cluster, the first of which is the API server.
  '34.118.224.0/20',
  // IBM Cloud: its infrastructure, and the private endpoints of its services.
  ...['161.26.0.0/16', '166.8.0.0/14'],
]);

/**
 * Whether an IP address is a public unicast address: not private, not of this machine or its network, not of a cloud's
 * own services, not reserved.
 * An IPv4 address that is only mapped into IPv6 (`::ffff:10.0.0.1`) counts as itself; an address that a router would
 * translate to IPv4 is not public.
 * @param address an address without a zone
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const canonical = canonicalAddress(address);
  const isUnicast = ipaddr.parse(canonical).range() === 'unicast' && !isOfCloud(canonical);
  return isUnicast && (isIPv4(canonical) || isAssigned(canonical));
}

/** The host of a URL; an IPv6 address without brackets. */
const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[(.+)\]$/, '$1');

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/**
 * Whether the host of a URL may have a private address.
 * @param allowed hosts for any port (`hooks.internal`, `fd00::1`), and hosts for one port (`hooks.internal:8443`,
 *   `[fd00::1]:8443`)
 */
export function isAllowedHost(url: string, allowed: readonly string[]): boolean {
  const parsed = new URL(url);
  return allowed.includes(hostOf(url)) || allowed.includes(`${parsed.hostname}:${portOf(parsed)}`);
}

/**
 * The names of this machine and of private networks, also with the dot of the root: RFC 6761 and 6762, RFC 8375, ICANN's
 * `internal`, Kubernetes' `svc` and `cluster.local`, and any name without a dot.
 */
const isPrivateName = /^(?:(?:.+\.)?(?:localhost|local|internal|home\.arpa|svc)|[^.]+)\.?$/;

/**
 * Whether a URL must be refused without a look-up of its host's name, because the host is this machine or belongs to a
 * private network.
 * @param allowed as of {@link isAllowedHost}
 */
export const isRefusedHost = (url: string, allowed: readonly string[]): boolean => {
  const host = hostOf(url);
  const isPrivate = isIP(host) === 0 ? isPrivateName.test(host) : !isPublicAddress(host);
  return isPrivate && !isAllowedHost(url, allowed);
};
