import type { ApiKeyVerification } from './generated/openapi.ts';

/** @internal */
interface Failure {
  readonly status?: number;
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** Keyward does not say whether a key is valid. */
export class KeywardError extends Error {
  override readonly name = 'KeywardError';
  /** The status of Keyward's answer, if it is not 200. 401 or 403: the credential lacks `keys.verify`. */
  readonly status: number | undefined;
  /** When to try again, in seconds (1–3600). */
  readonly retryAfter: number;

  /** @internal */
  constructor(message: string, { status, retryAfter = 1, ...options }: Failure = {}) {
    super(message, options);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The verification of a valid key. */
export interface Caller extends ApiKeyVerification {
  valid: true;
  key_id: number;
  user_id: number;
}

/** The result of a verification, valid or refused. */
export type Verification = Caller | (ApiKeyVerification & { valid: false });

/** What a request needs. `{}`: any valid key. */
export interface Needs {
  /** Permissions that the key must have. At most 50, of `a-z0-9._:*-`. */
  readonly permissions?: readonly string[];
  /** Units to use of the quotas (0–1,000,000). Default: 1. */
  readonly cost?: number;
}

/** What a request needs. */
export interface AddressedNeeds<Given extends unknown[]> extends Needs {
  /** The client's IP address. Default: unknown; with `node:http`, that of the connection. */
  readonly address?: (...given: Given) => string | undefined;
}

/** A request of Fetch or of Node. */
export interface CallerRequest {
  readonly headers:
    | { get(name: string): string | null }
    | { readonly [name: string]: string | readonly string[] | undefined };
  readonly rawHeaders?: readonly string[];
}

/** A problem document (RFC 9457). */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Who calls, or what to answer. */
export type Outcome = { readonly caller: Caller } | { readonly refusal: Refusal };

/** What protects routes. */
export interface Checker {
  /**
   * Prepares the check of a route.
   * @returns checks a request, of a client with this IP address
   * @throws {TypeError} if the needs are malformed
   */
  check(needs: Needs): (request: CallerRequest, address?: string) => Promise<Outcome>;
}
