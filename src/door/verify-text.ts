import { longestKey } from '../api-keys/verify/verify-api-key.ts';
import { isWrongKey, type Verification } from '../api-keys/verify/verify-secret.ts';
import type { Exchange } from '../http/exchange.ts';
import type { KeyGuesses } from '../http/rate-limits/of-addresses.ts';

/**
 * Verifies a text that an OAuth client takes for an API key, and counts a wrong one for the client's address.
 * @param guesses limits the number of wrong keys of an address; undefined: no limit
 * @returns undefined if the text is too long for a key
 * @throws {GatewayError} `TOO_MANY_REQUESTS` if the address has tried too many wrong ones
 */
export async function verifyText(
  text: string,
  exchange: Exchange,
  guesses: KeyGuesses | undefined,
  verify: () => Promise<Verification>,
): Promise<Verification | undefined> {
  guesses?.admit(text, exchange);
  const verified = text.length > longestKey ? undefined : await verify();
  guesses?.note(text, exchange, verified !== undefined && !isWrongKey(verified.reason));
  return verified;
}
