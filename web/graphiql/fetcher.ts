import type { GraphiQLProps } from 'graphiql';
import { fetchInTime } from '../shared/fetch-in-time.ts';
import { findSession } from '../sign-in/find-session.ts';
import { expireSession } from '../sign-in/session.ts';

/** Sends an operation, with the token of the person who is signed in. */
export const fetcher: GraphiQLProps['fetcher'] = async ({ query, variables, operationName }) => {
  const session = await findSession();
  try {
    const response = await fetchInTime('/graphql', {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json',
        'content-type': 'application/json',
        ...(session && { authorization: `Bearer ${session.accessToken}` }),
      },
      body: JSON.stringify({
        query,
        variables,
        // For a moment after a tab is shown, GraphiQL still has the name of the previous operation.
        ...(operationName && new RegExp(`\\b${operationName}\\b`).test(query) && { operationName }),
      }),
    });
    // The server no longer accepts this token, for example because the development provider restarted with new keys.
    if (response.status === 401 && session) expireSession();
    return await response.json();
  } catch (error) {
    return { errors: [{ message: (error as Error).message }] };
  }
};
