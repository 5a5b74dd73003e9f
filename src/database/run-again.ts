import { setTimeout as delay } from 'node:timers/promises';
import { isLostStatement } from './failures.ts';

/**
 * How often something is run again after a failure that PostgreSQL is sure of: nothing was stored. By SQLSTATE: a
 * conflict with another transaction (serialization failure, deadlock), and a server that became read-only, whose
 * connection has left the pool since.
 */
const timesAgain: Readonly<Record<string, number>> = { '40001': 12, '40P01': 12, '25006': 1 };

/** The longest wait before the first repetition, in milliseconds; it doubles each time, up to half a second. */
const firstWait = 4;
const longestWait = 512;

const timesAfter = (error: unknown): number => {
  if (isLostStatement(error)) return 1;
  const { code } = error as { readonly code?: unknown };
  return error instanceof Error && typeof code === 'string' ? (timesAgain[code] ?? 0) : 0;
};

/**
 * Runs a statement or a transaction, and runs it again if it certainly changed nothing and may succeed now. Those who
 * got into each other's way wait for different times.
 */
export async function runAgain<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let times = 0; ; times += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (times >= timesAfter(error)) throw error;
      if (!isLostStatement(error)) await delay(Math.random() * Math.min(firstWait * 2 ** times, longestWait));
    }
  }
}
