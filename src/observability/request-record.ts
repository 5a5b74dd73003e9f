import type { AccountId } from '../database/tables.ts';
import type { GatewayError } from '../errors.ts';
import type { RequestIds } from './events.ts';

/** What is noted of a request while it runs, for its one line in the log. */
export interface RequestRecord extends RequestIds {
  /** The IP address that it came from; null where it is not known. */
  readonly address: string | null;
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
  /** Why it failed, if it did. */
  failure?: GatewayError;
}

/** What the telemetry plugin leaves in the server context. */
export interface WithRecord {
  record: RequestRecord;
}
