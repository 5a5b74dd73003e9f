import type { HttpRequest } from './http.ts';
import type { Probe } from './probes.ts';

/** Something that is measured. */
export interface Operation {
  /** Its name on the command line. */
  readonly name: string;
  /** What a reader is told that it is. */
  readonly title: string;
  /** The interface that a server must have. */
  readonly on: 'rest' | 'graphql';
  /** The load goes through these, and begins again. */
  readonly requests: readonly HttpRequest[];
  /** Every server must answer these like Keyward. */
  readonly probes: readonly Probe[];
}
