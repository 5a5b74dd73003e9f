// Whose delivery is sent next. The line is ordered by time: a delivery of somebody who changes little stands at the
// time of its change. The deliveries of one account stand a tenth of a second apart, so a burst of one account reaches
// far back in the line, and others come between.

import { urgentWebhookTypes } from '../../config/values/webhook-events.ts';
import type { AccountId } from '../../database/tables.ts';

/** The time for which a delivery is tried, in milliseconds. */
export const patience = 3 * 24 * 60 * 60_000;

/** The distance between two deliveries of one account, in milliseconds. */
const distance = 100;

/** The number of accounts below which nothing is forgotten. */
const leastRemembered = 1000;

/** Whether events of a type stand in front of all others. */
export const isUrgent = (type: string): boolean => urgentWebhookTypes.includes(type);

/** The time by which an urgent place lies in front of others, in milliseconds: nothing waits for longer. */
const head = patience;

/**
 * Gives deliveries their places in line, as times. This node's memory of an account's last place is enough: with
 * several nodes, an account stands a little closer together.
 */
export class Line {
  /** The time now. */
  readonly now: () => Date;
  /** The last places of accounts; those that lie behind mean nothing. */
  readonly #last = new Map<AccountId, number>();
  /** The account whose events were handed out last: the next ones are those of the accounts after it. */
  lastServed = 0;
  /** The number of accounts at which those that lie behind are forgotten. */
  #most = leastRemembered;

  /** @param now tells the time */
  constructor(now: () => Date) {
    this.now = now;
  }

  /** Gives an account's next delivery its place. */
  place(account: AccountId, isUrgent: boolean): Date {
    const now = this.now().getTime();
    const place = Math.max(now, (this.#last.get(account) ?? 0) + distance);
    this.#last.set(account, place);
    if (this.#last.size > this.#most) this.#forget(now);
    return new Date(isUrgent ? place - head : place);
  }

  /** The number of accounts whose last place is remembered. */
  get remembered(): number {
    return this.#last.size;
  }

  /** Forgets all places: they were given under another clock. */
  reset(): void {
    this.#last.clear();
  }

  #forget(now: number): void {
    for (const [account, place] of this.#last) if (place <= now) this.#last.delete(account);
    this.#most = Math.max(leastRemembered, 2 * this.#last.size);
  }
}
