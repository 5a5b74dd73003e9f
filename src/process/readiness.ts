import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OutageGrace } from '../api-keys/verify/door-grace.ts';
import type { TrustedIssuer } from '../auth/trusted-issuer.ts';
import type { SchemaState } from '../database/current-db.ts';
import { isAway } from '../database/failures.ts';
import type { Part, Verdict } from '../http/server.ts';

/**
 * The time for which an answer of the database counts, in milliseconds. So frequent readiness checks put no load on
 * the database.
 */
const remembered = 1000;

/** The time limit of the database's answer, in milliseconds. */
const patience = 2000;

/**
 * A present fault of the database. It leaves everything but changes; or, while it is `away`, only the keys that it found
 * valid lately; or nothing.
 */
export interface DatabaseFault {
  readonly fault: string;
  readonly leaves: 'all but changes' | 'known keys' | 'nothing';
}

/** The fault of a database that does not answer. */
const silent = 'it does not answer';

const faultOf = (error: unknown): DatabaseFault => ({
  fault: silent,
  leaves: isAway(error) ? 'known keys' : 'nothing',
});

interface Issuer {
  readonly config: { readonly issuer: string };
  readonly keys: Pick<TrustedIssuer['keys'], 'fault'>;
}

/**
 * Makes the readiness check. The service is ready if the database can do all its work and at least one issuer has
 * verification keys. It is ready but degraded if the database stores no changes, or if API keys work on while it is
 * away. The verdict also lists each part that fails.
 * @param grace decides whether keys work on while the database is away; undefined: none does
 * @returns the check; it queries the database at most once a second, never twice at a time, and never rejects
 */
export function createReadiness(
  state: { check(): Promise<DatabaseFault | undefined> } & Partial<SchemaState>,
  trusted: readonly Issuer[],
  grace?: Pick<OutageGrace, 'isOfUse'>,
): () => Promise<Verdict> {
  let query: Promise<DatabaseFault | undefined> | undefined;
  const ask = (): Promise<DatabaseFault | undefined> => {
    query ??= state
      .check()
      .catch(faultOf)
      .finally(() => {
        query = undefined;
      });
    // A hanging query is not repeated, because a second one would take another connection.
    const late = { fault: silent, leaves: 'known keys' } as const;
    return Promise.race([query, delay(patience, late, { ref: false })]);
  };

  let answer: Promise<DatabaseFault | undefined> | undefined;
  let askedAt = 0;
  const databaseFault = (): Promise<DatabaseFault | undefined> => {
    if (answer && performance.now() - askedAt < remembered) return answer;
    askedAt = performance.now();
    answer = ask();
    return answer;
  };

  return async () => {
    const found = await databaseFault();
    const database: Part[] = found === undefined ? [] : [{ part: 'database', fault: found.fault }];
    const keys = trusted.flatMap(keysFault);
    const leaves = found?.leaves;
    const isDegraded =
      leaves === 'all but changes' ||
      (leaves === 'known keys' && state.fault === undefined && grace?.isOfUse === true);
    // If one issuer has no keys, the callers of the other issuers can still be served.
    const isReady = (found === undefined || isDegraded) && keys.length < trusted.length;
    return { isReady, ...(isDegraded && { isDegraded }), faults: [...database, ...keys] };
  };
}

const keysFault = ({ config: { issuer }, keys: { fault } }: Issuer): Part[] =>
  fault === undefined ? [] : [{ part: 'verification keys', issuer, fault }];

/** The interval of the process's own readiness checks, in milliseconds. */
const interval = 5000;

/**
 * Makes a readiness check that logs each part that stops working, fails for another reason, or works again. Disposal
 * stops its own regular checks.
 * @param ask gives the current verdict; a timer calls it too, so the log reports faults even if nothing calls the
 *   readiness endpoint
 */
export function watchReadiness(ask: () => Promise<Verdict>, logger: Logger) {
  let known = new Map<string, Part>();
  const look = async (): Promise<Verdict> => {
    const verdict = await ask();
    const now = new Map(verdict.faults.map((part) => [nameOf(part), part]));
    for (const [name, part] of now) {
      if (known.get(name)?.fault !== part.fault) logger.warn(part, 'not ready: a dependency is unavailable');
    }
    for (const [name, { part, issuer }] of known) {
      if (!now.has(name)) logger.info({ part, issuer }, 'a dependency is available again');
    }
    known = now;
    return verdict;
  };
  const timer = setInterval(look, interval).unref();
  return { ask: look, [Symbol.dispose]: () => clearInterval(timer) };
}

const nameOf = ({ part, issuer }: Part): string => `${part} ${issuer}`;
