import type { AccountId } from '../database/tables.ts';
import type { GatewayError } from '../errors.ts';

/** By what the lines of one request are found. */
export interface RequestIds {
  readonly requestId: string;
  /** The trace that it belongs to (W3C Trace Context), where the caller named one or this service traces. */
  traceId?: string | undefined;
  /** Its own span in that trace, where this service traces. */
  spanId?: string;
}

/** What is noted of a request while it runs, for its one line in the log. */
export interface RequestRecord extends RequestIds {
  /** As it came: HEAD is answered as GET. */
  readonly method: string;
  /** `performance.now()` at its arrival. */
  readonly startedAt: number;
  /** The path as it is published: a template, never a caller's own words. */
  route?: string;
  /** The root field that runs; `several`, `introspection`. */
  operation?: string;
  /** Of a request whose token is good: whether its signature was verified now or before. */
  token?: 'verified' | 'remembered';
  /** The caller's account, where what was answered names it. */
  accountId?: AccountId | undefined;
  /** Whether its Idempotency-Key was used before, and its answer is the one of then. */
  isReplayed?: boolean;
  /** Why it failed, if it did. */
  failure?: GatewayError;
}
