import { hash } from 'node:crypto';
import { type DocumentNode, getOperationAST, type OperationDefinitionNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Exchange, RequestHeaders, RequestRecord } from '../http/exchange.ts';
import { type Limiter, ordinaryAnswer } from '../http/rate-limits/limiter.ts';
import { readBearer } from '../http/read-request.ts';
import { once } from '../once.ts';
import { type AccessToken, decodeToken, endOf, readAccessToken, screenToken } from './access-token.ts';
import { invalidServerSecret, invalidToken } from './challenge.ts';
import { rootFields } from './root-fields.ts';
import { accountActor, keyVerifier } from './scopes.ts';
import { type FindServer, readServerSignIn, type ServerSignIn } from './servers.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';
import { useSignature, verifySignature, type WithJwt } from './use-signature.ts';
import type { KeySet } from './verification-key.ts';
import type { VerificationKeys } from './verification-keys.ts';

/** The part of the context that {@link useAccessToken} sets: undefined if the request carried no token. */
export interface WithAccessToken {
  accessToken?: AccessToken;
}

type CheckContext = WithAccessToken &
  WithJwt &
  Exchange & {
    /** The result of an operation that has begun, and has checked the token. */
    readonly running?: unknown;
  };

/** A wrapper around the check of a token. It measures the duration and sees the outcome. */
export type AroundCheck = (record: RequestRecord, check: () => void | Promise<void>) => void | Promise<void>;

/** How a server of the provider signs in without an identity provider. */
export interface ServerSignIns {
  readonly find: FindServer;
  /**
   * Counts a wrong secret.
   * @throws {GatewayError} `TOO_MANY_REQUESTS` if the client's address has tried too many
   */
  readonly noteWrong?: ((secret: string, exchange: Exchange) => void) | undefined;
}

/** The longest access token that this service reads, in characters. */
const maximumLength = 8192;

/**
 * Reads the access token from the Authorization header of a request. No other place of a request can carry the token.
 * @returns undefined if the request has no token
 * @throws {GatewayError} `UNAUTHENTICATED` if the token is longer than 8192 characters
 */
export function readBearerToken(headers: RequestHeaders): string | undefined {
  const token = readBearer(headers);
  if (token !== undefined && token.length > maximumLength) throw invalidToken('too-long');
  return token;
}

/**
 * Lets a server in by its secret.
 * @throws {GatewayError} `UNAUTHENTICATED`; `TOO_MANY_REQUESTS` if its address has tried too many wrong ones
 */
function signIn(given: ServerSignIn, { find, noteWrong }: ServerSignIns, context: CheckContext): void {
  const accessToken = find(given);
  if (accessToken === undefined) {
    noteWrong?.(given.secret, context);
    throw invalidServerSecret(given.name !== undefined);
  }
  context.accessToken = accessToken;
  context.record.token = 'server';
  context.record.server = accessToken.subject;
}

/**
 * Authenticates each request by its access token, or by the secret of a server, in GraphQL and in REST. A request
 * without either passes without a caller. Every unacceptable token gets the same `UNAUTHENTICATED` error.
 * @param trusted the trusted issuers; a token belongs to the issuer that it names
 * @param ownIssuer the issuer of this service's own assertions, which are no access tokens for it; undefined: none
 * @param servers how servers sign in; undefined: no server does, and HTTP Basic means nothing
 * @param around a wrapper for each check of a token; none if missing
 */
export function useAccessToken(
  trusted: readonly TrustedIssuer[],
  ownIssuer?: string,
  servers?: ServerSignIns,
  around: AroundCheck = (_record, check) => check(),
): Plugin<CheckContext, CheckContext> {
  const remembered = new RememberedTokens();
  const issuers = new Map(
    trusted.map((issuer) => [issuer.config.issuer, { issuer, signature: useSignature(issuer) }]),
  );

  const verify = async (token: string, context: CheckContext, runPlugin: (plugin: Plugin) => unknown) => {
    const decoded = decodeToken(token);
    if (ownIssuer !== undefined && decoded.claims['iss'] === ownIssuer) throw invalidToken('assertion');
    // A value of any other type than a string finds no issuer.
    const known = issuers.get(decoded.claims['iss'] as string);
    if (!known) throw invalidToken('issuer');
    const { issuer, signature } = known;
    await screenToken(decoded, issuer);
    // Keep the key set of this moment: a set that arrives during the verification has not verified this token.
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
    if (context.accessToken || context.running) return;
    const given = servers && readServerSignIn(context.headers);
    if (given) return around(context.record, () => signIn(given, servers, context));
    const token = readBearerToken(context.headers);
    if (token === undefined) return;
    return around(context.record, () => check(token, context, runPlugin));
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

/** The greatest number of remembered tokens. */
const capacity = 10_000;

/** The greatest number of remembered tokens and of the organisations in them: a token can name 200. */
const capacityWithOrganizations = 5 * capacity;

interface Entry {
  readonly accessToken: AccessToken;
  /** The source of the keys, and the key set that was current when it verified the token. */
  readonly keys: VerificationKeys;
  readonly keySet: KeySet | undefined;
  /** The time from which the token has expired, in milliseconds since 1970. */
  readonly end: number;
}

// The cache stores digests, so a dump of this process's memory shows no list of tokens.
const digest = (token: string) => hash('sha256', token, 'base64');

/**
 * Remembers verified tokens, so that the service verifies each signature once and not at each request. An entry stays
 * valid until its token expires or the issuer's key set changes. The cache never holds a refused token.
 */
export class RememberedTokens {
  readonly #entries = new LRUCache<string, Entry>({
    max: capacity,
    maxSize: capacityWithOrganizations,
    sizeCalculation: ({ accessToken: { organizations } }) => 1 + (organizations?.size ?? 0),
  });

  /** Returns the access token that an earlier verification made of this text; undefined for all other tokens. */
  recall(token: string): AccessToken | undefined {
    const key = digest(token);
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const { accessToken, keys, keySet, end } = entry;
    if (keys.current === keySet && Date.now() < end) return accessToken;
    this.#entries.delete(key);
    return undefined;
  }

  /** Remembers a token that this set of these keys has verified. */
  remember(
    token: string,
    accessToken: AccessToken,
    keys: VerificationKeys,
    keySet: KeySet | undefined,
  ): void {
    const end = endOf(accessToken.expiresAt);
    this.#entries.set(digest(token), { accessToken, keys, keySet, end });
  }
}

interface CountContext extends WithAccessToken, Pick<Exchange, 'quotas'> {
  /** In GraphQL, the plugin can count at two points: when it reads the request, and when it builds the context. */
  isCounted?: boolean;
}

/**
 * Counts the requests of each caller after the token's verification, in GraphQL and in REST. A GraphQL request counts
 * once for each root field, because in REST each of them would be a request.
 * @param account counts the requests of a person
 * @param verifier counts the requests of a caller that may verify API keys, or act for accounts: a server that asks on
 *   behalf of all its clients
 * @param longestAnswer the greatest length of an operation's answer, in bytes
 */
export function useAccountLimit(
  account: Limiter | undefined,
  verifier: Limiter | undefined,
  longestAnswer: (operation: OperationDefinitionNode, document: DocumentNode) => number,
): Plugin<CountContext, CountContext> {
  const keyOf = once(callerKeyOf);
  const weightOf = once((operation: OperationDefinitionNode, document: DocumentNode) => ({
    // The request itself already counted as the first field.
    more: Math.max(weigh(operation, document) - 1, 0),
    longest: longestAnswer(operation, document),
  }));

  const count = (context: CountContext, weight: number, longest = 0): void => {
    const { accessToken } = context;
    if (!accessToken) return;
    const limiter = isForOthers(accessToken) ? verifier : account;
    limiter?.(keyOf(accessToken), context, weight, longest);
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
      if (!operation) return;
      const { more, longest } = weightOf(operation, document);
      if (more > 0 || longest > ordinaryAnswer) count(contextValue, more, longest);
    },
  };
}

/** Whether a token is one of a server that asks on behalf of others. */
const isForOthers = ({ scopes }: AccessToken): boolean =>
  keyVerifier.every((scope) => scopes.has(scope)) || accountActor.every((scope) => scopes.has(scope));

/** The number of members at the root of the answer, without the introspection fields (`__schema`, `__type`). */
const weigh = (operation: OperationDefinitionNode, document: DocumentNode): number => {
  const asked = rootFields(document, operation).filter(({ name }) => !name.value.startsWith('__'));
  return new Set(asked.map(({ alias, name }) => (alias ?? name).value)).size;
};

/** A digest of the issuer and the subject: short enough for every counter, and unreadable in a database. */
const callerKeyOf = ({ issuer, subject }: AccessToken): string =>
  hash('sha256', JSON.stringify([issuer, subject]), 'base64url');
