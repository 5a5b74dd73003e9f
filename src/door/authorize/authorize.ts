import { GatewayError } from '../../errors.ts';
import type { Exchange, Handler, RequestHeaders } from '../../http/exchange.ts';
import type { KeyGuesses } from '../../http/rate-limits/of-addresses.ts';
import { type ApiKeyReader, stale } from '../api-key.ts';
import { type KeyLimitsLeft, noteLimits, refuseExhausted } from '../limits-left.ts';
import { authorizePath } from './problem.ts';

/** What a proxy asks about its client's request. */
export interface AuthorizeRequest {
  /** The secret of the API key, as the client sent it. */
  readonly secret: string;
  /** The permissions that the request needs; the API key must have all of them. */
  readonly permissions: readonly string[];
}

/**
 * The result of a verification: the owner of the API key or the reason of the refusal (null: none), and the rest of
 * the limits: of the key's own, and of those that all keys of its account share.
 */
interface Verification extends KeyLimitsLeft {
  readonly reason: string | null;
  readonly keyId: number | undefined;
  readonly userId: number | undefined;
  /** The organisation that owns the key; null: a person owns it. */
  readonly organization: string | null;
  /** The name of the account's plan; null: there are no plans. */
  readonly plan: string | null;
  /** Whether the database is away, and this is what it last said. */
  readonly isStale: boolean;
  /** A signed token that says the same; empty: the key is refused, or the service signs none. */
  readonly assertion: string;
}

/** The most permissions of one request, and the most characters of all of them together; the answer repeats them. */
const mostPermissions = 50;
const mostCharacters = 1000;

/**
 * Answers a proxy that asks whether a request may pass (nginx calls this `auth_request`, Traefik ForwardAuth, Envoy
 * `ext_authz`). The request's API key and the permissions in the proxy's `X-Keyward-Require` decide; method and body
 * do not matter.
 *
 * The answer 200 lets the request pass. It names the key's owner in `X-Keyward-User`, the key in `X-Keyward-Key`, an
 * organisation that owns it in `X-Keyward-Organization`, the owner's plan in `X-Keyward-Plan`, and the required
 * permissions in `X-Keyward-Permissions`, so that an application can see whether the proxy applied the expected rule.
 * `X-Keyward-Assertion` has a token that an application can check itself. `X-Keyward-Stale: 1` says that the database is
 * away. Any other status means no; `refuseWithProblems` makes its body.
 * @param keys reads the API key of a request
 * @param verify verifies the secret of an API key
 * @param isPermission whether a text is the name of a permission
 * @param guesses limits the number of keys that an address may try; undefined: no limit
 */
export const authorize =
  (
    keys: ApiKeyReader,
    verify: (request: AuthorizeRequest, exchange: Exchange) => Promise<Verification>,
    isPermission: (text: string) => boolean,
    guesses?: KeyGuesses,
  ): Handler =>
  async (exchange) => {
    exchange.record.route = authorizePath;
    const { headers } = exchange;
    const request = { secret: keys.read(headers), permissions: readRequirement(headers, isPermission) };
    guesses?.admit(request.secret, exchange);
    const verification = await verify(request, exchange);
    const { reason } = verification;
    const tooMany = reason === null ? undefined : refuseExhausted(reason, verification);
    const failure = reason === null ? undefined : (tooMany ?? keys.refuse(reason, request.permissions));
    guesses?.note(request.secret, exchange, failure?.code !== 'UNAUTHENTICATED');
    if (reason === null || tooMany) noteLimits(exchange, verification);
    if (failure) throw failure;
    return { status: 200, headers: identityOf(verification, request), body: '' };
  };

/**
 * The header fields that a proxy passes to its application. All of them are always present, so that they replace those
 * that a client sent; only what is said of an outage is not for the application.
 */
const identityOf = (
  { userId, keyId, organization, plan, isStale, assertion }: Verification,
  { permissions }: AuthorizeRequest,
) => ({
  'x-keyward-user': `${userId}`,
  'x-keyward-key': `${keyId}`,
  'x-keyward-organization': organization ?? '',
  'x-keyward-plan': plan ?? '',
  'x-keyward-permissions': permissions.join(' '),
  'x-keyward-assertion': assertion,
  ...(isStale ? stale : {}),
});

/**
 * Reads the permissions that the proxy requires, between spaces or commas. Only a missing header field means no
 * requirement: an empty one means that the requirement got lost on its way.
 * @throws {GatewayError} `FORBIDDEN` if the text is no list of permissions
 */
function readRequirement(
  headers: RequestHeaders,
  isPermission: (text: string) => boolean,
): readonly string[] {
  const text = headers['x-keyward-require'];
  if (text === undefined) return [];
  const names = text.split(/[ ,]+/).filter((name) => name !== '');
  const isShort = names.length <= mostPermissions && text.length <= mostCharacters;
  const isList = names.length > 0 && isShort;
  if (isList && names.every(isPermission)) return names;
  // The operator made a mistake, so nobody passes.
  throw new GatewayError('FORBIDDEN', 'X-Keyward-Require is not a list of permissions', {
    reason: 'malformed-requirement',
  });
}
