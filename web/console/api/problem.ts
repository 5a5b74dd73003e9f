/** What is wrong with one part of an input. */
export interface InputIssue {
  /** Where it stands: the argument's name first. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * The sorts of failure that a person can do something different about:
 * - `network`: nothing answered
 * - `unauthenticated`: the token is good no more
 * - `forbidden`: the token lacks a scope
 * - `too-many`: to be asked again later
 * - `server`: the service's own fault
 * - `invalid`: an input is refused
 * - `unknown-document`: the server has no document of that id
 * - `refused`: the operation said no
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

/** Why a request did not do what was asked; the message is a sentence for the person. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly issues: readonly InputIssue[];
  /** Names the request to whoever runs the service; null where none was answered. */
  readonly requestId: string | null;
  /** All scopes that it takes, where one is missing. */
  readonly scopes: readonly string[];

  constructor(kind: ProblemKind, message: string, details: ProblemDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.issues = details.issues ?? [];
    this.requestId = details.requestId ?? null;
    this.scopes = details.scopes ?? [];
  }

  /** What is wrong with an argument; undefined where nothing is. */
  issueOf(argument: string): string | undefined {
    return this.issues.find(({ path }) => path[0] === argument)?.message;
  }
}

/** Any failure as a {@link Problem}: one that is none is a fault of this page. */
export const toProblem = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem('server', 'This page met an error of its own. Reload it and sign in again.', {
        cause: error,
      });

/** An input that this page itself refuses; the message is a sentence for the person. */
export const invalid = (argument: string, message: string): Problem =>
  new Problem('invalid', 'Invalid input', { issues: [{ path: [argument], message }] });

/** Nobody is signed in, or not any more. */
export const signedOut = (): Problem => new Problem('unauthenticated', 'Your sign-in has ended.');
