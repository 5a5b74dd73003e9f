import { Response } from '@whatwg-node/fetch';
import type { GatewayError } from '../errors.ts';
import type { Exchange, Middleware } from './exchange.ts';

/** The one path of GraphQL. */
export const graphqlPath = '/graphql';

const wholeBody = ['body'];

/** The faults of an input, in pydantic 2's words: where each is, by its wire names, and what it is. */
const detailOf = ({ code, message, issues }: GatewayError) =>
  code === 'BAD_USER_INPUT'
    ? issues.map((issue) => ({
        loc: issue.path.length > 0 ? issue.path : wholeBody,
        msg: issue.message,
        type: issue.type,
      }))
    : message;

/** An error as an answer: as GraphQL answers it where no document was read, on its path, and `{"detail": …}` elsewhere. */
export function answerError({ path }: Pick<Exchange, 'path'>, error: GatewayError): Response {
  const { message, code, status, headers } = error;
  const body =
    path === graphqlPath ? { errors: [{ message, extensions: { code } }] } : { detail: detailOf(error) };
  return Response.json(body, { status, headers });
}

/**
 * Turns what a handler throws into an answer, and notes it.
 * @param translate turns any error into a GatewayError
 */
export const answerErrors =
  (translate: (error: unknown) => GatewayError): Middleware =>
  (next) =>
  async (exchange) => {
    try {
      return await next(exchange);
    } catch (error) {
      exchange.record.failure = translate(error);
      return answerError(exchange, exchange.record.failure);
    }
  };
