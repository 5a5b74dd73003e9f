import { type InputIssue, Problem, signedOut } from './problem.ts';

interface AnsweredError {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly issues?: readonly InputIssue[] };
}

interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly AnsweredError[];
}

/** When to try again, in words (RFC 9110, section 10.2.3; Keyward sends seconds, never a date). */
const later = (response: Response): string => {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  if (!(seconds > 0)) return 'Try again in a moment.';
  return `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
};

/** The scopes that a challenge asks for (RFC 6750, section 3). */
const requiredScopes = (response: Response): string[] =>
  /scope="([^"]*)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1]?.split(' ') ?? [];

const failed = 'Something went wrong in Keyward. Try again later.';

const refusedByStatus = (response: Response, said: string | undefined): Problem | undefined => {
  const requestId = response.headers.get('x-request-id');
  if (response.status === 401) return signedOut();
  if (response.status === 403)
    return new Problem('forbidden', `${said ?? 'You are not allowed to do this'}.`, {
      scopes: requiredScopes(response),
    });
  if (response.status === 429) return new Problem('too-many', `Too many requests. ${later(response)}`);
  if (response.status === 503)
    return new Problem('server', `Keyward is not available right now. ${later(response)}`, { requestId });
  if (response.status >= 500) return new Problem('server', failed, { requestId });
  return undefined;
};

/** The most characters of a refused text that a message repeats. */
const repeated = 60;

/** An issue that names the refused item of a list: its index would not help a person. */
function naming({ path, message }: InputIssue, asked: object): InputIssue {
  const found = path.reduce<unknown>((inner, name) => Object(inner)[name], asked);
  if (path.length === 1 || typeof found !== 'string') return { path, message };
  const text = found.length > repeated ? `${found.slice(0, repeated)}…` : found;
  return { path, message: `“${text}” ${message.charAt(0).toLowerCase()}${message.slice(1)}` };
}

const refusedByError = (
  { message, extensions }: AnsweredError,
  asked: object,
  requestId: string | null,
): Problem => {
  if (extensions?.code === 'BAD_USER_INPUT') {
    const issues = extensions.issues ?? [];
    return new Problem('invalid', message, { issues: issues.map((issue) => naming(issue, asked)) });
  }
  if (extensions?.code === 'INTERNAL_SERVER_ERROR') return new Problem('server', failed, { requestId });
  if (extensions?.code === 'PERSISTED_QUERY_NOT_FOUND')
    return new Problem('unknown-document', message, { requestId });
  return new Problem('refused', message.endsWith('.') ? message : `${message}.`, { requestId });
};

/**
 * Reads a response of GraphQL over HTTP.
 * @param asked the variables of the request
 * @throws {Problem} if the response has anything but data
 */
export async function readAnswer<Data>(response: Response, asked: object = {}): Promise<Data> {
  const requestId = response.headers.get('x-request-id');
  const answer: Answer<Data> = await response.json().catch(() => ({}));
  const [error] = answer.errors ?? [];
  const problem = refusedByStatus(response, error?.message);
  if (problem) throw problem;
  if (error) throw refusedByError(error, asked, requestId);
  if (!answer.data)
    throw new Problem('server', 'The response could not be read. Reload this page.', { requestId });
  return answer.data;
}
