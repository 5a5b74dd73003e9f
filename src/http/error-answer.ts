import type { FetchAPI } from 'graphql-yoga';
import type { GatewayError } from '../errors.ts';

/** The one path of GraphQL. */
export const graphqlPath = '/graphql';

/** An error as GraphQL answers it where no document was read. */
export const toRequestError = (error: GatewayError, { Response }: FetchAPI): Response =>
  Response.json(
    { errors: [{ message: error.message, extensions: { code: error.code } }] },
    { status: error.status, headers: error.headers },
  );

/** An error that holds for any request, in the manner of the transport that was called. */
export const errorAnswer = (error: GatewayError, pathname: string, fetchAPI: FetchAPI): Response =>
  pathname === graphqlPath
    ? toRequestError(error, fetchAPI)
    : fetchAPI.Response.json({ detail: error.message }, { status: error.status, headers: error.headers });
