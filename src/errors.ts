/** All error codes of requests, with their HTTP statuses (RFC 9110). */
export const statusOf = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  BAD_USER_INPUT: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  OUTCOME_UNKNOWN: 503,
} as const;

/** An error code, from a closed set; GraphQL shows it as `extensions.code`. */
export type ErrorCode = keyof typeof statusOf;

/** A single fault of an input. */
export interface InputIssue {
  /** The place of the fault, from the operation's input inwards, in GraphQL's names: `['sessionDuration']`. */
  readonly path: readonly string[];
  /** A description of the fault for a person. */
  readonly message: string;
  /** The type of the fault for a program, in pydantic 2's vocabulary: `int_type`, `missing`, … */
  readonly type: string;
}

interface Details {
  /** Further header fields of the answer, for example a challenge. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The faults of an input, for `BAD_USER_INPUT`. */
  readonly issues?: readonly InputIssue[];
  /** A short code for the log: the check that refused the request. Callers never see it. */
  readonly reason?: string;
  /** The account of the refused caller, for the log. Callers never see it. */
  readonly accountId?: number | undefined;
  /** The original error, for the log. Callers never see it. */
  readonly cause?: unknown;
}

/** The one class of errors that callers see. Its `message` is public; `reason`, `accountId` and `cause` are not. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  /** The HTTP status of the answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly issues: readonly InputIssue[];
  readonly reason: string | undefined;
  readonly accountId: number | undefined;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    // No answer needs a stack trace, and collecting one takes a good part of the time of a refused request.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.status = statusOf[code];
    this.headers = details.headers ?? {};
    this.issues = details.issues ?? [];
    this.reason = details.reason;
    this.accountId = details.accountId;
  }
}

/** Describes a fault and its place: `sessionDuration: Must be at least 60 seconds.` */
const sentenceOf = ({ path, message }: InputIssue): string =>
  [path.join('.'), message].filter(Boolean).join(': ');

/** The most faults that an answer lists, so that the answer stays small whatever the caller sent. */
export const mostIssues = 50;

/**
 * Makes the error for an invalid input.
 * @param all all faults; the error lists the first 50
 */
export const badUserInput = (all: readonly InputIssue[], cause?: unknown) => {
  const issues = all.slice(0, mostIssues);
  return new GatewayError('BAD_USER_INPUT', issues.map(sentenceOf).join(' '), { issues, cause });
};

/** The wait before another attempt. Each answer gets an object of its own, because it adds other fields to it. */
const later = () => ({ 'retry-after': '5' });

/**
 * Makes the error for a dependency of the service that does not answer. The request changed nothing; the caller may
 * try again in a few seconds.
 */
export const serviceUnavailable = (reason: string, cause?: unknown) =>
  new GatewayError('SERVICE_UNAVAILABLE', 'Service Unavailable', {
    reason,
    cause,
    headers: later(),
  });

/** Makes the error for a change with an unknown outcome: the service cannot find out whether the change was made. */
export const outcomeUnknown = (reason: string, cause: unknown) =>
  new GatewayError('OUTCOME_UNKNOWN', 'It is not known whether the change was made', {
    reason,
    cause,
    headers: later(),
  });

/**
 * Converts any error to a GatewayError, also one inside a GraphQL error. An unforeseen error becomes a masked
 * `INTERNAL_SERVER_ERROR`.
 */
export function toGatewayError(error: unknown): GatewayError {
  const inner = unwrap(error);
  if (inner instanceof GatewayError) return inner;
  return new GatewayError('INTERNAL_SERVER_ERROR', 'Internal Server Error', { cause: inner });
}

/** The error behind a GraphQL error, or the error itself. */
export const unwrap = (error: unknown): unknown =>
  error instanceof Error && 'originalError' in error && error.originalError
    ? unwrap(error.originalError)
    : error;
