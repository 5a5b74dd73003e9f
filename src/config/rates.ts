/** How many requests are answered in a time. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** Whose requests are counted, each by a rate of its own; undefined: they are not limited. */
export interface Rates {
  /** Of one client address. */
  readonly address?: Rate | undefined;
  /** Of one person. */
  readonly account?: Rate | undefined;
  /** Of one caller that may verify API keys. */
  readonly verifier?: Rate | undefined;
  /** With one API key, at a reverse proxy. */
  readonly apiKey?: Rate | undefined;
}
