import { hash } from 'node:crypto';
import { type DocumentNode, getOperationAST, type OperationDefinitionNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Exchange, RequestRecord } from '../http/exchange.ts';
import type { Limiter } from '../http/rate-limits/limiter.ts';
import {
  type AccessToken,
  decodeToken,
  isExpired,
  readAccessToken,
  readBearerToken,
  screenToken,
} from './access-token.ts';
import { invalidToken } from './challenge.ts';
import { rootFields } from './root-fields.ts';
import { keyVerifier } from './scopes.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';
import { useSignature, verifySignature, type WithJwt } from './use-signature.ts';
import type { KeySet } from './verification-key.ts';
import type { VerificationKeys } from './verification-keys.ts';

/** What the plugin leaves in the context: undefined where the request carried no token. */
export interface WithAccessToken {
  accessToken?: AccessToken;
}

type CheckContext = WithAccessToken & WithJwt & Pick<Exchange, 'headers' | 'record'>;

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
): Plugin<CheckContext, CheckContext> {
  const remembered = new RememberedTokens();
  const issuers = new Map(
    trusted.map((issuer) => [issuer.config.issuer, { issuer, signature: useSignature(issuer) }]),
  );

  const verify = async (token: string, context: CheckContext, runPlugin: (plugin: Plugin) => unknown) => {
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

  const check = (token: string, context: CheckContext, runPlugin: (plugin: Plugin) => unknown) => {
    const known = remembered.recall(token);
    if (!known) return verify(token, context, runPlugin);
    context.accessToken = known;
    context.record.token = 'remembered';
  };

  const authenticate = (
    context: CheckContext,
    runPlugin: (plugin: Plugin) => unknown,
  ): void | Promise<void> => {
    if (context.accessToken) return;
    const token = readBearerToken(context.headers);
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
      authenticate(payload.serverContext, (plugin) => plugin.onRequestParse?.(payload)),
    onContextBuilding: (payload) =>
      authenticate(payload.context, (plugin) => plugin.onContextBuilding?.(payload)),
  };
}

/** The most tokens that are remembered. */
const capacity = 10_000;

interface Entry {
  readonly accessToken: AccessToken;
  /** Where the keys came from, and the set that was current when they verified the token. */
  readonly keys: VerificationKeys;
  readonly keySet: KeySet | undefined;
}

// A digest, so that a dump of this process's memory holds no list of tokens.
const digest = (token: string) => hash('sha256', token, 'base64');

/**
 * Tokens that were verified, so that a signature is verified once and not at each request. An entry is good for as
 * long as the token is, and the key set that verified it; a token that was refused is never kept.
 */
export class RememberedTokens {
  readonly #entries = new LRUCache<string, Entry>({ max: capacity });

  /** What a token that was verified before amounts to; undefined for any other. */
  recall(token: string): AccessToken | undefined {
    const key = digest(token);
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const { accessToken, keys, keySet } = entry;
    if (keys.current === keySet && !isExpired(accessToken.expiresAt)) return accessToken;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps a token that was verified with this set of these keys. */
  remember(
    token: string,
    accessToken: AccessToken,
    keys: VerificationKeys,
    keySet: KeySet | undefined,
  ): void {
    this.#entries.set(digest(token), { accessToken, keys, keySet });
  }
}

interface CountContext extends WithAccessToken, Pick<Exchange, 'quotas'> {
  /** On GraphQL the token is known before the request is read, and the context is built after it. */
  isCounted?: boolean;
}

/**
 * Counts the requests of a caller, once the token was verified, on both transports. A GraphQL request counts as many
 * times as it has root fields: over REST each of them would be a request.
 * @param account counts a person's
 * @param verifier counts those of a caller that may verify API keys: a server, that asks for all of its clients
 */
export function useAccountLimit(
  account: Limiter | undefined,
  verifier: Limiter | undefined,
): Plugin<CountContext, CountContext> {
  const keyOf = once(callerKeyOf);
  const weightOf = once(weigh);

  const count = (context: CountContext, weight: number): void => {
    const { accessToken } = context;
    if (!accessToken || weight === 0) return;
    const limiter = keyVerifier.every((scope) => accessToken.scopes.has(scope)) ? verifier : account;
    limiter?.count(keyOf(accessToken), context, weight);
  };
  const countRequest = (context: CountContext): void => {
    if (context.isCounted || !context.accessToken) return;
    context.isCounted = true;
    count(context, 1);
  };

  return {
    onRequestParse: ({ serverContext }) => countRequest(serverContext),
    onContextBuilding: ({ context }) => countRequest(context),
    onExecute: ({ args: { document, operationName, contextValue } }) => {
      const operation = getOperationAST(document, operationName);
      // The first of its fields was counted as the request.
      if (operation) count(contextValue, Math.max(weightOf(operation, document) - 1, 0));
    },
  };
}

/** A function that is computed once for each object that it is given. */
function once<Subject extends object, More extends unknown[], Result>(
  compute: (subject: Subject, ...more: More) => Result,
) {
  const known = new WeakMap<Subject, Result>();
  return (subject: Subject, ...more: More): Result => {
    const result = known.get(subject) ?? compute(subject, ...more);
    known.set(subject, result);
    return result;
  };
}

/** How many members an answer has at its root, what it says of the schema left out. */
const weigh = (operation: OperationDefinitionNode, document: DocumentNode): number => {
  const asked = rootFields(document, operation).filter(({ name }) => !name.value.startsWith('__'));
  return new Set(asked.map(({ alias, name }) => (alias ?? name).value)).size;
};

/** Who calls, in a length that any counter takes, and not to be read in a database. */
const callerKeyOf = ({ issuer, subject }: AccessToken): string =>
  hash('sha256', JSON.stringify([issuer, subject]), 'base64url');
