import { promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '../../config/values/addresses.ts';

/** The running look-ups, by host. */
const running = new Map<string, Promise<LookupAddress[]>>();

/** Looks up the addresses of a host. Concurrent calls for the same host share one look-up. */
function addressesOf(host: string): Promise<LookupAddress[]> {
  const known = running.get(host);
  if (known !== undefined) return known;
  const asked = dns.lookup(host, { all: true, order: 'verbatim' }).finally(() => running.delete(host));
  running.set(host, asked);
  return asked;
}

/** The error for a host without an address to which the service may send. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
  readonly code = 'address refused';
}

/** The same host for name servers alone: with the dot of the root, no search domain of this machine is added to it. */
const absolute = (host: string): string => (host.endsWith('.') ? host : `${host}.`);

/**
 * Makes a look-up function for a connection. The connection uses a checked address, and no name server is asked again
 * between the check and the connection. Search domains count only for a host that may have a private address: in
 * Kubernetes, they lead `kubernetes.default` to the API server.
 * @param isAllowed whether the host may have a private address
 */
export const checkedLookup =
  (isAllowed: boolean): LookupFunction =>
  (host, { all, family }: LookupOptions, done) => {
    addressesOf(isAllowed ? host : absolute(host)).then(
      (found) => {
        const wanted = found.filter(
          (each) => !family || Number(`${family}`.replace('IPv', '')) === each.family,
        );
        const [first, ...others] = wanted.filter(({ address }) => isAllowed || isPublicAddress(address));
        if (!first) done(new RefusedAddress(), '');
        else if (all) done(null, [first, ...others]);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
