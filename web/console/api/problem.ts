import type { Language } from '../../messages/language.ts';

/** What is wrong with one part of the input. */
export interface InputIssue {
  /** The path to the part; the name of the argument comes first. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * The kinds of failure, each with another next step for the person:
 * - `network`: no response
 * - `unauthenticated`: the token is no longer valid
 * - `forbidden`: the token lacks a scope
 * - `too-many`: a rate limit is exceeded
 * - `server`: the service or this page failed
 * - `invalid`: an argument is not valid
 * - `unknown-document`: the server has no document with that id
 * - `refused`: the service refused the operation
 */
export type ProblemKind =
  | 'network'
  | 'unauthenticated'
  | 'forbidden'
  | 'too-many'
  | 'server'
  | 'invalid'
  | 'unknown-document'
  | 'refused';

interface ProblemDetails {
  readonly issues?: readonly InputIssue[];
  readonly requestId?: string | null;
  readonly scopes?: readonly string[];
  readonly cause?: unknown;
}

/** Why a request failed; the message is a sentence for the person. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly issues: readonly InputIssue[];
  /** The id of the request, for the operator; null if there is none. */
  readonly requestId: string | null;
  /** All scopes that the operation needs, if one is missing. */
  readonly scopes: readonly string[];

  constructor(kind: ProblemKind, message: string, details: ProblemDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.issues = details.issues ?? [];
    this.requestId = details.requestId ?? null;
    this.scopes = details.scopes ?? [];
  }

  /** What is wrong with an argument; undefined if nothing is. */
  issueOf(argument: string): string | undefined {
    return this.issues.find(({ path }) => path[0] === argument)?.message;
  }
}

/** Any failure as a {@link Problem}. An error of another class is a fault of this page. */
export const toProblem = ({ text }: Language, error: unknown): Problem =>
  error instanceof Problem ? error : new Problem('server', text('common.page-failed'), { cause: error });

/** An input that this page itself refuses; the message is a sentence for the person. */
export const invalid = (argument: string, message: string): Problem =>
  new Problem('invalid', 'Invalid input', { issues: [{ path: [argument], message }] });

/** Nobody is signed in, or the sign-in has expired. */
export const signedOut = ({ text }: Language): Problem =>
  new Problem('unauthenticated', text('common.sign-in-expired'));
