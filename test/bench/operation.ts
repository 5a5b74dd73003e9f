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
  /**
   * Called with the server's SQLite file before each load, and before answers are compared: it undoes what requests can
   * do only once.
   */
  readonly undo?: (databaseFile: string) => void;
  /** Every server must answer these like Keyward. */
  readonly probes: readonly Probe[];
}
