import type { Logger } from 'pino';
import type { TrustedIssuer } from '../auth/trusted-issuer.ts';
import type { Database } from '../database/database.ts';
import type { Part, Verdict } from '../http/server.ts';

/** How long an answer of the database counts, in milliseconds: however often it is asked, this is no load. */
const remembered = 1000;

/** How long the database may take to answer, in milliseconds. */
const patience = 2000;

/** What is said of a database that does not answer. */
const silent = 'it does not answer';

/** Resolves when the database has had its time; no process stays alive for it. */
const timeIsUp = () => new Promise<typeof silent>((resolve) => setTimeout(resolve, patience, silent).unref());

interface Issuer {
  readonly config: { readonly issuer: string };
  readonly keys: Pick<TrustedIssuer['keys'], 'fault'>;
}

/**
 * Whether requests can be served: the database can do all that is asked of it, and there are verification keys of an
 * issuer; and which part cannot be used, if any.
 * @returns asks, the database at most once a second and once at a time; never rejects
 */
export function createReadiness(
  { check }: Pick<Database, 'check'>,
  trusted: readonly Issuer[],
): () => Promise<Verdict> {
  let query: Promise<string | undefined> | undefined;
  const ask = (): Promise<string | undefined> => {
    query ??= check()
      .catch(() => silent)
      .finally(() => {
        query = undefined;
      });
    // One that hangs is not asked again: it would take up another connection.
    return Promise.race([query, timeIsUp()]);
  };

  let answer: Promise<string | undefined> | undefined;
  let askedAt = 0;
  const databaseFault = (): Promise<string | undefined> => {
    if (answer && performance.now() - askedAt < remembered) return answer;
    askedAt = performance.now();
    answer = ask();
    return answer;
  };

  return async () => {
    const fault = await databaseFault();
    const database: Part[] = fault === undefined ? [] : [{ part: 'database', fault }];
    const keys = trusted.flatMap(keysFault);
    // One issuer without keys leaves the callers of the others.
    const isReady = database.length === 0 && keys.length < trusted.length;
    return { isReady, faults: [...database, ...keys] };
  };
}

const keysFault = ({ config: { issuer }, keys: { fault } }: Issuer): Part[] =>
  fault === undefined ? [] : [{ part: 'verification keys', issuer, fault }];

/** How often it is asked where nobody else does, in milliseconds. */
const interval = 5000;

/** Whether requests can be served, and which part cannot be used; disposing of it ends that it is watched. */
export interface WatchedReadiness extends Disposable {
  readonly ask: () => Promise<Verdict>;
}

/**
 * Writes a line to the log each time that a part cannot be used any more, for another reason, or again.
 * @param ask says how it is now; also asked by itself, so that the log tells what nobody asks about
 */
export function watchReadiness(ask: () => Promise<Verdict>, logger: Logger): WatchedReadiness {
  let known = new Map<string, Part>();
  const look = async (): Promise<Verdict> => {
    const verdict = await ask();
    const now = new Map(verdict.faults.map((part) => [nameOf(part), part]));
    for (const [name, part] of now) {
      if (known.get(name)?.fault !== part.fault) logger.warn(part, 'a part cannot be used');
    }
    for (const [name, { part, issuer }] of known) {
      if (!now.has(name)) logger.info({ part, issuer }, 'a part can be used again');
    }
    known = now;
    return verdict;
  };
  const timer = setInterval(look, interval).unref();
  return { ask: look, [Symbol.dispose]: () => clearInterval(timer) };
}

const nameOf = ({ part, issuer }: Part): string => `${part} ${issuer}`;
