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
   * Called before each load, with the server's SQLite file: it undoes what requests can do only once. There must be more
   * requests than a load takes.
   */
  readonly undo?: (databaseFile: string) => void;
  /** Every server must answer these like Keyward. */
  readonly probes: readonly Probe[];
}
