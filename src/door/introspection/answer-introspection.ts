import { kindOf } from '../../accounts/account-record.ts';
import { permissionsWithin } from '../../api-keys/verify/grants.ts';
import { organizationOfKey } from '../../api-keys/verify/verify-api-key.ts';
import { type Verification, verifySecret } from '../../api-keys/verify/verify-secret.ts';
import type { WithAccessToken } from '../../auth/caller.ts';
import { type ForWhom, requireScopes, scopesRequiredOf } from '../../auth/required-scopes.ts';
import { keyVerifier } from '../../auth/scopes.ts';
import type { Pipeline } from '../../graphql/run-operation.ts';
import { type Answer, type Exchange, type Handler, jsonAnswer } from '../../http/exchange.ts';
import type { KeyGuesses } from '../../http/rate-limits/of-addresses.ts';
import { checkBody } from '../../http/read-request.ts';
import type { OperationContext } from '../../operations/context.ts';
import { createRouteMatcher } from '../../rest/routes.ts';
import { stale } from '../api-key.ts';
import { introspectionPath, oauthRoutes } from '../oauth/errors.ts';
import { verifyText } from '../verify-text.ts';
import { readIntrospection } from './read-introspection.ts';

const matchRoute = createRouteMatcher({
  introspectToken: { method: 'POST', path: oauthRoutes.introspection },
});

/** Whoever may verify API keys may ask here. */
const verification = { extensions: { requiredScopes: keyVerifier } };

/** What introspection needs to know of the service. */
export interface IntrospectionOptions {
  /** Recognises the caller, and counts the request. */
  readonly pipeline: Pick<Pipeline, 'enter'>;
  /** The URL by which clients reach this service. */
  readonly publicUrl: string;
  readonly bodyLimit: number;
  /** Limits the number of wrong keys of an address; undefined: no limit. */
  readonly guesses: KeyGuesses | undefined;
}

/** An answer for anything but a key that works now, whatever the reason (RFC 7662, section 2.2). */
const inactive = (): Answer => jsonAnswer({ active: false });

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/** An answer for a key that works now. */
function active({ found, entitlement }: Verification, publicUrl: string): Answer {
  if (!found || !entitlement) return inactive();
  const organization = organizationOfKey(found);
  const { ceiling, plan } = entitlement;
  const answer = {
    active: true,
    scope: permissionsWithin(found.permissions, ceiling).join(' '),
    client_id: `key:${found.id}`,
    sub: found.subject,
    username: found.subject,
    iss: publicUrl,
    ...(found.expiresAt && { exp: secondsOf(found.expiresAt) }),
    iat: secondsOf(found.createdAt),
    token_type: 'Bearer',
    key_id: found.id,
    user_id: found.account,
    owner_kind: kindOf(found.ownerKind),
    // Clients of the standard do not expect null.
    ...(organization !== null && { organization_id: organization }),
    ...(plan !== null && { plan }),
  };
  return jsonAnswer(answer, 200, found.staleSince === undefined ? {} : stale);
}

/**
 * Answers the standard question about an API key: OAuth 2.0 Token Introspection (RFC 7662). It does what `verifyApiKey`
 * does, for clients that know nothing of it, and counts like it. No GraphQL root field answers in this form.
 */
export function answerIntrospection(options: IntrospectionOptions): Handler {
  const { pipeline, publicUrl, bodyLimit, guesses } = options;

  return async (exchange) => {
    const { method, record } = exchange;
    record.route = introspectionPath;
    record.operation = matchRoute(method, oauthRoutes.introspection).field;
    checkBody(exchange, bodyLimit);
    await pipeline.enter(exchange);
    // The plugins have added what a verification needs.
    const context = exchange as Exchange & WithAccessToken & ForWhom & OperationContext;
    requireScopes(scopesRequiredOf(verification, context.accessToken, context), context.accessToken);
    const { token: secret, ...use } = readIntrospection(exchange);
    const request = { secret, permissions: [], ...use };
    const verified = await verifyText(secret, exchange, guesses, () => verifySecret(context, request));
    return verified?.reason === null ? active(verified, publicUrl) : inactive();
  };
}
