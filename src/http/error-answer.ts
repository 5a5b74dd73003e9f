import type { FetchAPI } from 'graphql-yoga';
import type { GatewayError } from '../errors.ts';
import { graphqlPath, toRequestError } from '../graphql/use-graphql-endpoint.ts';

/** An error that holds for any request, in the manner of the transport that was called. */
export const errorAnswer = (error: GatewayError, pathname: string, fetchAPI: FetchAPI): Response =>
  pathname === graphqlPath
    ? toRequestError(error, fetchAPI)
    : fetchAPI.Response.json({ detail: error.message }, { status: error.status, headers: error.headers });
