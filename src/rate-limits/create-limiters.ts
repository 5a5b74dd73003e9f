import { CompiledQuery } from 'kysely';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Db } from '../database/db.ts';
import { Limiter, type Rate } from './limiter.ts';

/** Whose requests are counted, each by a rate of its own. */
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

/** How long is waited for the count of all nodes, in milliseconds; then each counts on its own. */
const patience = 500;

/**
 * Makes what counts requests. With a database that nodes share, they count together, in its table `rate_limit`; while
 * it does not answer, each node counts for itself.
 * @param shared the database, where it is one that nodes share; else this process counts alone
 */
export async function createLimiters(rates: Rates, shared: Db | undefined): Promise<Limiters> {
  const given = Object.entries(rates).filter(([, rate]) => rate !== undefined) as [keyof Rates, Rate][];
  if (given.length === 0) return {};
  // Loaded only for whoever has set a limit.
  const { RateLimiterMemory, RateLimiterPostgres, RLWrapperTimeouts } = await import('rate-limiter-flexible');
  const counterOf = (name: string, { requests, seconds }: Rate): RateLimiterAbstract => {
    const options = { points: requests, duration: seconds, keyPrefix: name };
    const alone = new RateLimiterMemory(options);
    if (!shared) return alone;
    const together = new RateLimiterPostgres({
      ...options,
      storeClient: asClient(shared),
      storeType: 'client',
      tableName: 'rate_limit',
      tableCreated: true,
      // Whoever is over the limit costs no statement until it is reset.
      inMemoryBlockOnConsumed: requests,
    });
    return new RLWrapperTimeouts({ limiter: together, insuranceLimiter: alone, timeoutMs: patience });
  };
  return Object.fromEntries(
    given.map(([kind, rate]) => [kind, new Limiter(names[kind], rate, counterOf(names[kind], rate))]),
  );
}

/** The database as the library asks it, which knows `pg`. */
const asClient = ({ kysely }: Db) => ({
  query: ({ text, values }: { text: string; values: unknown[] }) =>
    kysely.executeQuery(CompiledQuery.raw(text, values)),
});
