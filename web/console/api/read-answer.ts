import { type InputIssue, Problem, signedOut } from './problem.ts';

interface AnsweredError {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly issues?: readonly InputIssue[] };
}

interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly AnsweredError[];
}

/** When to ask again, in words (RFC 9110, section 10.2.3: seconds here, never a date). */
const later = (response: Response): string => {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  if (!(seconds > 0)) return 'Try again in a moment.';
  return `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
};

/** What a challenge asks for (RFC 6750, section 3). */
const requiredScopes = (response: Response): string[] =>
  /scope="([^"]*)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1]?.split(' ') ?? [];

const refusedByStatus = (response: Response, said: string | undefined): Problem | undefined => {
  const requestId = response.headers.get('x-request-id');
  if (response.status === 401) return signedOut();
  if (response.status === 403)
    return new Problem('forbidden', `${said ?? 'You may not do this'}.`, {
      scopes: requiredScopes(response),
    });
  if (response.status === 429)
    return new Problem('too-many', `That was too much at once. ${later(response)}`);
  if (response.status === 503)
    return new Problem('server', `Keyward cannot answer right now. ${later(response)}`, { requestId });
  if (response.status >= 500) return new Problem('server', 'Something went wrong at Keyward.', { requestId });
  return undefined;
};

/** The most characters of a text that are repeated. */
const repeated = 60;

/** An issue that names the text it is about: which one of a list it is, its place there says badly. */
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
  if (extensions?.code === 'INTERNAL_SERVER_ERROR')
    return new Problem('server', 'Something went wrong at Keyward.', { requestId });
  if (extensions?.code === 'PERSISTED_QUERY_NOT_FOUND')
    return new Problem('unknown-document', message, { requestId });
  return new Problem('refused', message.endsWith('.') ? message : `${message}.`, { requestId });
};

/**
 * Reads what GraphQL over HTTP answered.
 * @param asked the variables of the request
 * @throws {Problem} whatever it is but data
 */
export async function readAnswer<Data>(response: Response, asked: object = {}): Promise<Data> {
  const requestId = response.headers.get('x-request-id');
  const answer: Answer<Data> = await response.json().catch(() => ({}));
  const [error] = answer.errors ?? [];
  const problem = refusedByStatus(response, error?.message);
  if (problem) throw problem;
  if (error) throw refusedByError(error, asked, requestId);
  if (!answer.data) throw new Problem('server', 'The answer could not be read.', { requestId });
  return answer.data;
}
