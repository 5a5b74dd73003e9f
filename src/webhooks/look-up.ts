import { promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '../config/addresses.ts';

/** How many names are looked up at a time: each takes one of the process's four threads until a name server has answered. */
const mostAtOnce = 2;

/** Names that are looked up, and those that wait for their turn. */
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

/** The addresses of a host; who asks for the same at the same time shares an answer. */
function addressesOf(host: string): Promise<LookupAddress[]> {
  const known = running.get(host);
  if (known !== undefined) return known;
  const asked = inTurn(() => dns.lookup(host, { all: true, order: 'verbatim' })).finally(() =>
    running.delete(host),
  );
  running.set(host, asked);
  return asked;
}

/** A host has no address that something may be sent to. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
  readonly code = 'address refused';
}

/**
 * Finds the addresses of a host for a connection, which goes to one of them: between the check and the connection no
 * name server is asked again.
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
