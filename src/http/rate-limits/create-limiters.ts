import type { Rate, Rates } from '../../config/rates.ts';
import { Limiter } from './limiter.ts';
import type { SharedCounts } from './shared-counts.ts';

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
