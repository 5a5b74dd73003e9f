/** What was used of a rate, from the first request on until it is reset. */
export interface Window {
  used: number;
  /** How much of it other nodes do not know of yet. */
  untold: number;
  /** In milliseconds since 1970. */
  resetsAt: number;
}
