import type { Language } from '../../messages/language.ts';
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
const later = ({ text }: Language, response: Response): string => {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return seconds > 0 ? text('common.retry-in', { seconds }) : text('common.retry-soon');
};

/** The scopes that a challenge asks for (RFC 6750, section 3). */
const requiredScopes = (response: Response): string[] =>
  /scope="([^"]*)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1]?.split(' ') ?? [];

/** A sentence of the service, with its full stop, in the person's language. */
const translate = ({ said }: Language, sentence: string): string =>
  said(sentence.endsWith('.') ? sentence : `${sentence}.`);

/** Why something is forbidden. */
function forbidden(language: Language, said: string | undefined): string {
  if (said === undefined) return language.text('common.forbidden');
  const [, scopes] = /^The access token lacks the scope: (.+)$/.exec(said) ?? [];
  if (scopes !== undefined) return language.text('common.lacks-scopes', { scopes });
  const [, roles] = /^Your role in this organization may not .+\. Roles that may: (.*)$/.exec(said) ?? [];
  return roles === undefined ? translate(language, said) : language.text('common.role-forbids', { roles });
}

const refusedByStatus = (
  language: Language,
  response: Response,
  said: string | undefined,
): Problem | undefined => {
  const { text } = language;
  const requestId = response.headers.get('x-request-id');
  if (response.status === 401) return signedOut(language);
  if (response.status === 403)
    return new Problem('forbidden', forbidden(language, said), {
      scopes: requiredScopes(response),
    });
  if (response.status === 429)
    return new Problem('too-many', text('common.too-many', { retry: later(language, response) }));
  if (response.status === 503)
    return new Problem('server', text('common.unavailable', { retry: later(language, response) }), {
      requestId,
    });
  if (response.status >= 500) return new Problem('server', text('common.failed'), { requestId });
  return undefined;
};

/** Why a request to the REST API was refused. */
export async function readRefusal(language: Language, response: Response): Promise<Problem> {
  const { detail }: { readonly detail?: unknown } = await response.json().catch(() => ({}));
  const said = typeof detail === 'string' ? detail : undefined;
  if (said !== undefined) await Promise.race([language.ready('said'), pause(patience)]);
  return (
    refusedByStatus(language, response, said) ??
    new Problem('refused', said === undefined ? language.text('common.failed') : translate(language, said))
  );
}

/** The most characters of a refused text that a message repeats. */
const repeated = 60;

/** An issue that names the refused item of a list: its index would not help a person. */
function naming({ text, said }: Language, { path, message }: InputIssue, asked: object): InputIssue {
  const found = path.reduce<unknown>((inner, name) => Object(inner)[name], asked);
  if (path.length === 1 || typeof found !== 'string') return { path, message: said(message) };
  const item = found.length > repeated ? `${found.slice(0, repeated)}…` : found;
  const own = said(message);
  const rest = own === message ? `${message.charAt(0).toLowerCase()}${message.slice(1)}` : own;
  return { path, message: text('common.item-issue', { item, message: rest }) };
}

const refusedByError = (
  language: Language,
  { message, extensions }: AnsweredError,
  asked: object,
  requestId: string | null,
): Problem => {
  if (extensions?.code === 'BAD_USER_INPUT') {
    const issues = extensions.issues ?? [];
    const sentences = issues.map((issue) =>
      [issue.path.join('.'), language.said(issue.message)].filter(Boolean).join(': '),
    );
    return new Problem('invalid', sentences.join(' ') || message, {
      issues: issues.map((issue) => naming(language, issue, asked)),
    });
  }
  if (extensions?.code === 'INTERNAL_SERVER_ERROR')
    return new Problem('server', language.text('common.failed'), { requestId });
  if (extensions?.code === 'PERSISTED_QUERY_NOT_FOUND')
    return new Problem('unknown-document', message, { requestId });
  return new Problem('refused', translate(language, message), { requestId });
};

/** How long a sentence of the service waits for its text in the person's language, in milliseconds. */
const patience = 2_000;

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** Whether a person reads what the service says: it has texts of its own, which are loaded when it first does. */
const isSaid = ({ status }: Response, error: AnsweredError | undefined): boolean =>
  error !== undefined &&
  status !== 401 &&
  status < 429 &&
  !['INTERNAL_SERVER_ERROR', 'PERSISTED_QUERY_NOT_FOUND'].includes(error.extensions?.code ?? '');

/**
 * Reads a response of GraphQL over HTTP.
 * @param asked the variables of the request
 * @throws {Problem} if the response has anything but data
 */
export async function readAnswer<Data>(
  language: Language,
  response: Response,
  asked: object = {},
): Promise<Data> {
  const requestId = response.headers.get('x-request-id');
  const answer: Answer<Data> = await response.json().catch(() => ({}));
  const [error] = answer.errors ?? [];
  // On a bad network, the sentence comes as it is.
  if (isSaid(response, error)) await Promise.race([language.ready('said'), pause(patience)]);
  const problem = refusedByStatus(language, response, error?.message);
  if (problem) throw problem;
  if (error) throw refusedByError(language, error, asked, requestId);
  if (!answer.data) throw new Problem('server', language.text('common.unreadable'), { requestId });
  return answer.data;
}
