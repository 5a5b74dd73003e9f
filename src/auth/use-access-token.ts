import type { Plugin } from 'graphql-yoga';
import type { Exchange, RequestRecord } from '../http/exchange.ts';
import { type AccessToken, readAccessToken } from './access-token.ts';
import { readBearerToken } from './bearer-token.ts';
import { invalidToken } from './challenge.ts';
import { RememberedTokens } from './remembered-tokens.ts';
import { decodeToken, screenToken } from './screen-token.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';
import { useSignature, verifySignature, type WithJwt } from './use-signature.ts';

/** What the plugin leaves in the context: undefined where the request carried no token. */
export interface WithAccessToken {
  accessToken?: AccessToken;
}

type Context = WithAccessToken & WithJwt & Pick<Exchange, 'record'>;

/** What a check of a token is run in, to tell how long it takes and how it ends. */
export type AroundCheck = (record: RequestRecord, check: () => void | Promise<void>) => void | Promise<void>;

/**
 * Authenticates each request by its access token, on both transports; a request without one goes on as nobody's.
 * Throws one `UNAUTHENTICATED` for every token that will not do.
 * @param trusted the issuers that are trusted; a token belongs to the one that it names
 * @param around what each check is run in, if anything
 */
export function useAccessToken(
  trusted: readonly TrustedIssuer[],
  around?: AroundCheck,
): Plugin<Context, Context> {
  const remembered = new RememberedTokens();
  const issuers = new Map(
    trusted.map((issuer) => [issuer.config.issuer, { issuer, signature: useSignature(issuer) }]),
  );

  const verify = async (token: string, context: Context, runPlugin: (plugin: Plugin) => unknown) => {
    const decoded = decodeToken(token);
    // Whatever is not the text of a known issuer finds nothing.
    const known = issuers.get(decoded.claims['iss'] as string);
    if (!known) throw invalidToken('issuer');
    const { issuer, signature } = known;
    await screenToken(decoded, issuer);
    // Taken before: a set that is read meanwhile has not verified this token.
    const keySet = issuer.keys.current;
    await verifySignature(token, decoded, keySet, context, () => runPlugin(signature));
    if (!context.jwt) throw invalidToken('signature');
    const accessToken = readAccessToken(context.jwt.payload, issuer.config);
    remembered.remember(token, accessToken, issuer.keys, keySet);
    context.accessToken = accessToken;
    context.record.token = 'verified';
  };

  const check = (token: string, context: Context, runPlugin: (plugin: Plugin) => unknown) => {
    const known = remembered.recall(token);
    if (!known) return verify(token, context, runPlugin);
    context.accessToken = known;
    context.record.token = 'remembered';
  };

  const authenticate = (
    request: Request,
    context: Context,
    runPlugin: (plugin: Plugin) => unknown,
  ): void | Promise<void> => {
    if (context.accessToken) return;
    const token = readBearerToken(request.headers);
    if (token === undefined) return;
    return around
      ? around(context.record, () => check(token, context, runPlugin))
      : check(token, context, runPlugin);
  };

  return {
    onYogaInit: (payload) => {
      for (const { signature } of issuers.values()) signature.onYogaInit?.(payload as never);
    },
    onRequestParse: (payload) =>
      authenticate(payload.request, payload.serverContext, (plugin) => plugin.onRequestParse?.(payload)),
    onContextBuilding: (payload) =>
      authenticate(payload.context.request, payload.context, (plugin) => plugin.onContextBuilding?.(payload)),
  };
}
