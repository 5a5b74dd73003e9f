import { promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '../../config/values/addresses.ts';

/** The most concurrent look-ups: each takes one of the process's four threads until a name server answers. */
const mostAtOnce = 2;

/** The names with a running look-up, and the queue of the others. */
const running = new Map<string, Promise<LookupAddress[]>>();
const queue: (() => void)[] = [];
let free = mostAtOnce;

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (free === 0) await new Promise<void>((resolve) => queue.push(resolve));
  else free -= 1;
  try {
    return await work();
  } finally {
    const next = queue.shift();
    if (next) next();
    else free += 1;
  }
}

/** Looks up the addresses of a host. Concurrent calls for the same host share one look-up. */
function addressesOf(host: string): Promise<LookupAddress[]> {
  const known = running.get(host);
  if (known !== undefined) return known;
  const asked = inTurn(() => dns.lookup(host, { all: true, order: 'verbatim' })).finally(() =>
    running.delete(host),
  );
  running.set(host, asked);
  return asked;
}

/** The error for a host without an address to which the service may send. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
  readonly code = 'address refused';
}

/**
 * Makes a look-up function for a connection. The connection uses a checked address, and no name server is asked again
 * between the check and the connection.
 * @param isAllowed whether the host may have a private address
 */
export const checkedLookup =
  (isAllowed: boolean): LookupFunction =>
  (host, { all, family }: LookupOptions, done) => {
    addressesOf(host).then(
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
