import { hash } from 'node:crypto';
import { type DocumentNode, getOperationAST, type OperationDefinitionNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Exchange } from '../http/exchange.ts';
import type { Limiter } from '../http/rate-limits/limiter.ts';
import type { AccessToken } from './access-token.ts';
import { rootFields } from './root-fields.ts';
import { keyVerifier } from './scopes.ts';
import type { WithAccessToken } from './use-access-token.ts';

interface Context extends WithAccessToken, Pick<Exchange, 'quotas'> {
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
): Plugin<Context, Context> {
  const keyOf = once(callerKeyOf);
  const weightOf = once(weigh);

  const count = (context: Context, weight: number): void => {
    const { accessToken } = context;
    if (!accessToken || weight === 0) return;
    const limiter = keyVerifier.every((scope) => accessToken.scopes.has(scope)) ? verifier : account;
    limiter?.count(keyOf(accessToken), context, weight);
  };
  const countRequest = (context: Context): void => {
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
