import { GatewayError } from '../../errors.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isPermission, mostPermissions } from '../../plans/permissions.ts';
import { invalidRequest, readForm, required } from '../oauth/form.ts';

/** The grant type of a token exchange (RFC 8693, section 2.1). */
export const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

const accessToken = 'urn:ietf:params:oauth:token-type:access_token';

/** What a client may call an API key: its own type, or the type for any access token (RFC 8693, section 3). */
export const subjectTypes: readonly string[] = ['urn:keyward:params:oauth:token-type:api-key', accessToken];

/** What a client may ask for; the first is the usual. An assertion is both. */
export const issuedTypes: readonly [string, ...string[]] = [
  accessToken,
  'urn:ietf:params:oauth:token-type:jwt',
];

/** A request for an assertion in exchange for an API key. */
export interface TokenExchangeRequest {
  /** The API key: any text that a client sent. */
  readonly secret: string;
  /** The service that the assertion is for. */
  readonly audience: string;
  /** What the assertion may be used for; undefined: all that the key may do. */
  readonly scope: readonly string[] | undefined;
  /** The type of the assertion, as the client calls it. */
  readonly issuedType: string;
}

const oneOf = (form: URLSearchParams, name: string, values: readonly string[]): string => {
  const value = form.get(name) ?? '';
  if (values.includes(value)) return value;
  throw invalidRequest(`The parameter ${name} must be ${values.join(' or ')}`);
};

/**
 * Reads the service that the assertion is for. A service may be named as both an audience and a resource.
 * @throws {GatewayError} `BAD_REQUEST` for an unknown one, or for several
 */
function readTarget(form: URLSearchParams, audiences: readonly [string, ...string[]]): string {
  const named = new Set([...form.getAll('audience'), ...form.getAll('resource')]);
  const [target = audiences[0], another] = named;
  if (another === undefined && audiences.includes(target)) return target;
  throw new GatewayError(
    'BAD_REQUEST',
    another === undefined
      ? 'No token is issued for this audience or resource'
      : 'A token is for one audience or resource',
    { reason: 'invalid-target' },
  );
}

/** Reads the wanted permissions, separated by spaces (RFC 6749, section 3.3); undefined: all of the key's. */
function readScope(form: URLSearchParams): readonly string[] | undefined {
  const text = form.get('scope');
  if (text === null) return undefined;
  const names = [...new Set(text.split(' '))];
  if (names.length <= mostPermissions && names.every(isPermission)) return names;
  throw new GatewayError('BAD_REQUEST', 'The parameter scope is not a list of permissions', {
    reason: 'invalid-scope',
  });
}

/**
 * Reads a token exchange (RFC 8693, section 2.1). Parameters that it does not know are ignored.
 * @param audiences the services that an assertion may be for; the first is the usual one
 * @throws {GatewayError} `BAD_REQUEST`; `UNSUPPORTED_MEDIA_TYPE`
 */
export function readTokenExchange(
  exchange: Exchange,
  audiences: readonly [string, ...string[]],
): TokenExchangeRequest {
  const form = readForm(exchange, ['audience', 'resource']);
  if (required(form, 'grant_type') !== tokenExchange)
    throw new GatewayError('BAD_REQUEST', `The parameter grant_type must be ${tokenExchange}`, {
      reason: 'unsupported-grant-type',
    });
  const secret = required(form, 'subject_token');
  oneOf(form, 'subject_token_type', subjectTypes);
  // To ignore these would give the client a token that says less than it asked for.
  if (form.has('actor_token') || form.has('actor_token_type'))
    throw invalidRequest('An actor is not supported');
  const issuedType = form.has('requested_token_type')
    ? oneOf(form, 'requested_token_type', issuedTypes)
    : issuedTypes[0];
  return { secret, issuedType, audience: readTarget(form, audiences), scope: readScope(form) };
}
