import type { HttpRequest } from './http.ts';

/** Where load goes. */
export interface Target {
  readonly url: string;
  /** They are sent in turn. */
  readonly requests: readonly HttpRequest[];
}

/** What came of it. */
export interface Load {
  /** Answered requests. */
  readonly requests: number;
  readonly seconds: number;
  /** Answers other than 2xx, and requests without one. */
  readonly errors: number;
}

/** Load at a steady rate, and how long answers took. */
export interface PacedLoad extends Load {
  /** Milliseconds that half of the answers, and 99 of 100, took at most. */
  readonly p50: number;
  readonly p99: number;
}

/** Makes load, in a process of its own. */
export interface LoadGenerator {
  /** As many requests as are answered, each connection with one at a time. */
  saturate(target: Target, seconds: number): Promise<Load>;
  /** A steady number of requests a second, as an open loop. */
  pace(target: Target, seconds: number, rate: number): Promise<PacedLoad>;
}
