/** An error response of Keyward's. */
export class KeywardError extends Error {
  override readonly name = 'KeywardError';
  readonly status: number;
  /** The id of the request in the server's log. */
  readonly requestId: string | null;

  constructor(status: number, message: string, { headers }: Response) {
    super(message);
    this.status = status;
    this.requestId = headers.get('x-request-id');
  }
}

/** What a program does about each status. This example only prints it. */
const advice: Readonly<Record<number, string>> = {
  401: 'Sign in again: the access token is missing, expired or not for this service.',
  403: 'Sign in again, and ask for the scopes that the message names.',
  404: 'There is no such API key among yours.',
  409: 'Read the API key again: it was deactivated or has expired.',
  412: 'Read it again: somebody else has changed it.',
  422: 'Correct the input.',
  429: 'Too many requests, also after some waiting: try again later.',
  503: 'Keyward cannot reach what it needs: try again later.',
};

/** What went wrong, and what to do about it. */
export function explain(error: unknown): string {
  if (!(error instanceof KeywardError)) return `No answer: ${error}`;
  const { status, message, requestId } = error;
  return `${status} ${message}\n${advice[status] ?? `Tell the operator the request's id, ${requestId}.`}`;
}
