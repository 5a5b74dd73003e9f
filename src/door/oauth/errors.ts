import { STATUS_CODES } from 'node:http';
import type { GatewayError } from '../../errors.ts';
import type { Answer, Finisher } from '../../http/exchange.ts';
import { basePath } from '../../rest/routes.ts';

/** The paths for OAuth clients, below the base path: where they ask about API keys, and where they exchange them. */
export const oauthRoutes = { introspection: '/oauth/introspect', token: '/oauth/token' } as const;

/** The path at which OAuth clients ask about API keys. */
export const introspectionPath: string = basePath + oauthRoutes.introspection;

/** The path at which OAuth clients exchange API keys. */
export const tokenPath: string = basePath + oauthRoutes.token;

const paths: readonly string[] = [introspectionPath, tokenPath];

/** The codes of errors that are not the request's own fault (RFC 6749, section 4.1.2.1). */
const codes: Readonly<Record<number, string>> = {
  429: 'temporarily_unavailable',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

/** The codes of what is wrong with a request for a token, by the reason in the log (RFC 6749, 5.2; RFC 8693, 2.2.2). */
const codesByReason: Readonly<Record<string, string>> = {
  'unsupported-grant-type': 'unsupported_grant_type',
  'invalid-target': 'invalid_target',
  'invalid-scope': 'invalid_scope',
  'api-key-insufficient-permissions': 'invalid_scope',
};

/** The code of a refusal of the caller (RFC 6749, section 5.2; RFC 6750, section 3.1). */
function codeOfRefusal({ status, headers }: Answer): string {
  const [, error] = /error="(\w+)"/.exec(headers['www-authenticate'] ?? '') ?? [];
  if (error !== undefined) return error;
  return status === 401 ? 'invalid_client' : 'access_denied';
}

/** The code of what is wrong with a request. An API key that does not work is a grant that is not valid. */
const codeOfFault = ({ reason = '' }: GatewayError): string =>
  codesByReason[reason] ?? (reason.startsWith('api-key-') ? 'invalid_grant' : 'invalid_request');

function codeOf(answer: Answer, failure: GatewayError | undefined): string {
  if (answer.status === 401 || answer.status === 403) return codeOfRefusal(answer);
  return codes[answer.status] ?? (failure ? codeOfFault(failure) : 'invalid_request');
}

/** A description may have no other characters than these (RFC 6749, section 5.2). */
const describe = (text: string): string => text.replaceAll(/[^ !#-[\]-~]/g, "'");

/** An invalid input is 400 in OAuth (RFC 6749, section 5.2). */
const statusOf = ({ status }: Answer): number => (status === 422 ? 400 : status);

/** Gives each refusal at a path for OAuth clients the form of OAuth's errors. The answer must be a refusal. */
export const refuseInOAuth: Finisher = ({ path, record: { failure } }, answer) => {
  if (!paths.includes(path)) return answer;
  const description = failure?.message ?? STATUS_CODES[answer.status] ?? '';
  return {
    ...answer,
    status: statusOf(answer),
    headers: { ...answer.headers, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ error: codeOf(answer, failure), error_description: describe(description) }),
  };
};
