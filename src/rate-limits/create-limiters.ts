import { Limiter } from './limiter.ts';
import type { SharedCounts } from './shared-counts.ts';
import type { Rate } from './window.ts';

/** Whose requests are counted, each by a rate of its own; undefined: they are not limited. */
export interface Rates {
  /** Of one client address. */
  readonly address?: Rate | undefined;
  /** Of one person. */
  readonly account?: Rate | undefined;
  /** Of one caller that may verify API keys. */
  readonly verifier?: Rate | undefined;
  /** With one API key, at a reverse proxy. */
  readonly apiKey?: Rate | undefined;
}

/** A limiter for each rate that is given. */
export type Limiters = { readonly [Name in keyof Rates]?: Limiter };

/** What clients know the limits by. */
const names = { address: 'address', account: 'account', verifier: 'verifier', apiKey: 'api-key' } as const;

/**
 * Makes what counts requests.
 * @param shared what other nodes count; undefined: this process counts alone
 */
export function createLimiters(rates: Rates, shared: SharedCounts | undefined): Limiters {
  const given = Object.entries(rates).filter(([, rate]) => rate !== undefined) as [keyof Rates, Rate][];
  return Object.fromEntries(given.map(([kind, rate]) => [kind, new Limiter(names[kind], rate, shared)]));
}
