import type { Logger } from 'pino';
import type { Part, Verdict } from '../http/server.ts';

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
