import type { Registry } from '@prometheus-io/client';
import type { RequestRecord } from '../request-record.ts';
import { createTallies, type Tally } from './tallies.ts';

/** What checks of tokens are counted under; undefined where there was none. */
export function createTokenChecks(registry: Registry) {
  const begin = createTallies({
    name: 'keyward_token_checks_total',
    help: 'Access tokens that were accepted and refused, and how or why.',
    labelNames: ['outcome', 'reason'],
    registers: [registry],
  });
  const known = new Map<string, Tally>();
  const add = (outcome: string, reason: string): Tally => {
    const tally = begin({ outcome, reason });
    known.set(reason, tally);
    return tally;
  };
  return (record: RequestRecord): Tally | undefined => {
    if (record.token) return known.get(record.token) ?? add('accepted', record.token);
    const reason = refusalOf(record);
    return reason === undefined ? undefined : (known.get(reason) ?? add('refused', reason));
  };
}

/** Why the token of a request was refused, or could not be checked; undefined where it was not. */
const refusalOf = ({ failure }: RequestRecord): string | undefined =>
  failure?.reason && aboutTokens.test(failure.reason) ? failure.reason : undefined;

const aboutTokens = /^(token-|no-verification-keys$|verification-keys-awaited$)/;
