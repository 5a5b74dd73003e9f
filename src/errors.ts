/** Every way in which a request can fail, and the HTTP status that says so (RFC 9110). */
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

/** The closed set of error codes; GraphQL shows them as `extensions.code`. */
export type ErrorCode = keyof typeof statusOf;

/** One thing that is wrong with an input. */
export interface InputIssue {
  /** Where, from the operation's input inwards, in GraphQL's names: `['sessionDuration']`. */
  readonly path: readonly string[];
  /** What is wrong, for a person. */
  readonly message: string;
  /** What is wrong, for a program, in pydantic 2's vocabulary: `int_type`, `missing`, … */
  readonly type: string;
}

interface Details {
  /** Header fields that the answer carries beside the body, for example a challenge. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The faults of an input, for `BAD_USER_INPUT`. */
  readonly issues?: readonly InputIssue[];
  /** A short code for the log, never shown: which check refused. */
  readonly reason?: string;
  /** The account of whoever is refused, for the log, never shown. */
  readonly accountId?: number | undefined;
  /** What really happened, for the log, never shown. */
  readonly cause?: unknown;
}

/** The one class in which an error travels back: `message` is public; `reason`, `accountId` and `cause` are not. */
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
    // An answer has no use for a stack trace, and to collect one takes a good part of a request that is refused.
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

/** What is wrong, and with what: `sessionDuration: Must be at least 60 seconds.` */
const sentenceOf = ({ path, message }: InputIssue): string =>
  [path.join('.'), message].filter(Boolean).join(': ');

/** How many things that are wrong with an input are told: what is answered stays small, whatever was sent. */
export const mostIssues = 50;

/** An input that an operation cannot take. */
export const badUserInput = (all: readonly InputIssue[], cause?: unknown) => {
  const issues = all.slice(0, mostIssues);
  return new GatewayError('BAD_USER_INPUT', issues.map(sentenceOf).join(' '), { issues, cause });
};

/** How long to wait before another attempt. Each answer has its own: it puts other fields beside it. */
const later = () => ({ 'retry-after': '5' });

/** Something that this service needs does not answer, and nothing was changed; try again in a few seconds. */
export const serviceUnavailable = (reason: string, cause?: unknown) =>
  new GatewayError('SERVICE_UNAVAILABLE', 'Service Unavailable', {
    reason,
    cause,
    headers: later(),
  });

/** A change may have been made or not, and this service cannot find out. */
export const outcomeUnknown = (reason: string, cause: unknown) =>
  new GatewayError('OUTCOME_UNKNOWN', 'It is not known whether the change was made', {
    reason,
    cause,
    headers: later(),
  });

/**
 * Any error as a GatewayError, also out of the GraphQL error that wraps it; one that nobody foresaw becomes a masked
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
