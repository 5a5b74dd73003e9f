import { hash } from 'node:crypto';
import type { Plugin } from 'graphql-yoga';
import type { AccessToken } from '../auth/access-token.ts';
import { keyVerifier } from '../auth/scopes.ts';
import type { WithAccessToken } from '../auth/use-access-token.ts';
import type { Limiter, WithQuotas } from './limiter.ts';

interface Context extends WithAccessToken, WithQuotas {
  /** On GraphQL the token is known before the request is read, and the context is built after it. */
  isCounted?: boolean;
}

/**
 * Counts each request of a caller, once the token was verified, on both transports.
 * @param account counts a person's
 * @param verifier counts those of a caller that may verify API keys: a server, that asks for all of its clients
 */
export function useAccountLimit(
  account: Limiter | undefined,
  verifier: Limiter | undefined,
): Plugin<Context, Context> {
  const keys = new WeakMap<AccessToken, string>();
  const keyOf = (accessToken: AccessToken): string => {
    const key = keys.get(accessToken) ?? callerKeyOf(accessToken);
    keys.set(accessToken, key);
    return key;
  };

  const count = (context: Context): void | Promise<void> => {
    const { accessToken } = context;
    if (!accessToken || context.isCounted) return;
    context.isCounted = true;
    const limiter = keyVerifier.every((scope) => accessToken.scopes.has(scope)) ? verifier : account;
    return limiter?.count(keyOf(accessToken), context);
  };

  return {
    onRequestParse: ({ serverContext }) => count(serverContext),
    onContextBuilding: ({ context }) => count(context),
  };
}

/** Who calls, in a length that any counter takes, and not to be read in a database. */
const callerKeyOf = ({ issuer, subject }: AccessToken): string =>
  hash('sha256', JSON.stringify([issuer, subject]), 'base64url');
