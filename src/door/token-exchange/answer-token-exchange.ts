import { assertedKeyOf } from '../../api-keys/verify/asserted-key.ts';
import type { Verification } from '../../api-keys/verify/verify-secret.ts';
import { GatewayError } from '../../errors.ts';
import { type Exchange, type Handler, jsonAnswer } from '../../http/exchange.ts';
import type { KeyGuesses } from '../../http/rate-limits/of-addresses.ts';
import { checkBody } from '../../http/read-request.ts';
import type { Assertions, OperationServices } from '../../operations/context.ts';
import { createRouteMatcher } from '../../rest/routes.ts';
import { type ApiKeyReader, stale } from '../api-key.ts';
import type { AuthorizeRequest } from '../authorize/authorize.ts';
import { noteLimits, refuseExhausted } from '../limits-left.ts';
import { oauthRoutes, tokenPath } from '../oauth/errors.ts';
import { verifyText } from '../verify-text.ts';
import { readTokenExchange } from './read-token-exchange.ts';

const matchRoute = createRouteMatcher({ exchangeToken: { method: 'POST', path: oauthRoutes.token } });

/** What token exchange needs to know of the service. */
export interface TokenExchangeOptions {
  readonly assertions: Assertions;
  readonly services: Pick<OperationServices, 'doorGrace'>;
  readonly keys: Pick<ApiKeyReader, 'refuse'>;
  /** Verifies the secret of an API key, as for a proxy. */
  readonly verify: (request: AuthorizeRequest, exchange: Exchange) => Promise<Verification>;
  readonly bodyLimit: number;
  /** Limits the number of wrong keys of an address; undefined: no limit. */
  readonly guesses: KeyGuesses | undefined;
}

/**
 * Gives an assertion in exchange for an API key: OAuth 2.0 Token Exchange (RFC 8693). The key itself authorizes the
 * request, and this counts as one use of it. An assertion may do less than the key, and never more.
 */
export function answerTokenExchange(options: TokenExchangeOptions): Handler {
  const { assertions, services, keys, bodyLimit, guesses } = options;

  /** Makes the error for a key that was refused: a grant that is not valid, or too many requests. */
  const refuse = (exchange: Exchange, verified: Verification | undefined, scope: readonly string[]) => {
    const reason = verified?.reason ?? 'not_found';
    const tooMany = verified && refuseExhausted(reason, verified.limits);
    if (tooMany) noteLimits(exchange, verified.limits);
    const { message, reason: inLog = '' } = keys.refuse(reason, scope);
    return tooMany ?? new GatewayError('BAD_REQUEST', message, { reason: inLog });
  };

  return async (exchange) => {
    const { method, record } = exchange;
    record.route = tokenPath;
    record.operation = matchRoute(method, oauthRoutes.token).field;
    checkBody(exchange, bodyLimit);
    const { secret, audience, scope, issuedType } = readTokenExchange(exchange, assertions.audiences);
    const request = { secret, permissions: scope ?? [] };
    const verified = await verifyText(secret, exchange, guesses, () => options.verify(request, exchange));
    const { found, entitlement } = verified ?? {};
    if (verified?.reason !== null || !found || !entitlement) throw refuse(exchange, verified, scope ?? []);
    noteLimits(exchange, verified.limits);
    const key = assertedKeyOf(found, entitlement, services);
    const granted = scope ?? key.scope;
    const { token, expiresIn } = await assertions.issue(key, { audience, scope: granted });
    const answer = {
      access_token: token,
      issued_token_type: issuedType,
      token_type: 'Bearer',
      expires_in: expiresIn,
      // A scope has at least one name (RFC 6749, section 3.3).
      ...(granted.length > 0 && { scope: granted.join(' ') }),
    };
    return jsonAnswer(answer, 200, found.staleSince === undefined ? {} : stale);
  };
}
