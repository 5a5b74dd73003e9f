import type { GraphiQLProps } from 'graphiql';
import { findSession } from '../sign-in/find-session.ts';
import { expireSession } from '../sign-in/session.ts';

/** How long an answer may take, in milliseconds. */
const patience = 15_000;

const failed = (message: string) => ({ errors: [{ message }] });

/** Sends an operation, with the token of who is signed in. */
export const fetcher: GraphiQLProps['fetcher'] = async ({ query, variables, operationName }) => {
  const session = await findSession();
  const signal = AbortSignal.timeout(patience);
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      signal,
      headers: {
        accept: 'application/graphql-response+json',
        'content-type': 'application/json',
        ...(session && { authorization: `Bearer ${session.accessToken}` }),
      },
      body: JSON.stringify({
        query,
        variables,
        // For a moment after a tab is shown, GraphiQL has still the name of the one before.
        ...(operationName && new RegExp(`\\b${operationName}\\b`).test(query) && { operationName }),
      }),
    });
    // The server takes this token no more: a service that was started again has new signing keys, for one.
    if (response.status === 401 && session) expireSession();
    return await response.json();
  } catch {
    return failed(
      signal.aborted
        ? `Keyward has not answered for ${patience / 1_000} seconds. Look whether a change was made before you try again.`
        : 'Keyward cannot be reached. Check your connection and try again.',
    );
  }
};
