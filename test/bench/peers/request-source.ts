/** The request that a change belongs to, for its audit event. */
export interface RequestSource {
  readonly id: string;
  /** The IP address that it came from. */
  readonly address: string | null;
}
