import { STATUS_CODES } from 'node:http';
import type { Answer, Finisher } from '../../http/exchange.ts';
import { basePath } from '../../rest/routes.ts';

/** The path at which OAuth clients ask about API keys, below the base path. */
export const introspectionRoute = '/oauth/introspect';

/** The path at which OAuth clients ask about API keys. */
export const introspectionPath: string = basePath + introspectionRoute;

/** The codes of errors that are not the request's own fault (RFC 6749, section 4.1.2.1). */
const codes: Readonly<Record<number, string>> = {
  429: 'temporarily_unavailable',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

/** The code of a refusal of the caller (RFC 6749, section 5.2; RFC 6750, section 3.1). */
function codeOfRefusal({ status, headers }: Answer): string {
  const [, error] = /error="(\w+)"/.exec(headers['www-authenticate'] ?? '') ?? [];
  if (error !== undefined) return error;
  return status === 401 ? 'invalid_client' : 'access_denied';
}

const codeOf = (answer: Answer): string => {
  if (answer.status === 401 || answer.status === 403) return codeOfRefusal(answer);
  return codes[answer.status] ?? 'invalid_request';
};

/** A description may have no other characters than these (RFC 6749, section 5.2). */
const describe = (text: string): string => text.replaceAll(/[^ !#-[\]-~]/g, "'");

/** An invalid input is 400 in OAuth (RFC 6749, section 5.2). */
const statusOf = ({ status }: Answer): number => (status === 422 ? 400 : status);

/** Gives each refusal at the path of introspection the form of OAuth's errors. The answer must be a refusal. */
export const refuseInOAuth: Finisher = ({ path, record }, answer) => {
  if (path !== introspectionPath) return answer;
  const description = record.failure?.message ?? STATUS_CODES[answer.status] ?? '';
  return {
    ...answer,
    status: statusOf(answer),
    headers: { ...answer.headers, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ error: codeOf(answer), error_description: describe(description) }),
  };
};
