import type { GraphiQLProps } from 'graphiql';
import { accountHeaders } from '../shared/account-headers.ts';
import { fetchInTime } from '../shared/fetch-in-time.ts';
import { urlOf } from '../shared/place.ts';
import { getAccount } from '../sign-in/account.ts';
import { findSession } from '../sign-in/find-session.ts';
import { expireSession } from '../sign-in/session.ts';
import { isOfAccount } from './operations.ts';
import { rootFields } from './root-fields.ts';

/** Sends an operation, with the token of the person who is signed in, for the account that they have chosen. */
export const fetcher: GraphiQLProps['fetcher'] = async ({ query, variables, operationName: named }) => {
  const session = await findSession();
  const { organization, left } = getAccount();
  // For a moment after a tab is shown, GraphiQL still has the name of the previous operation.
  const operationName = named && new RegExp(`\\b${named}\\b`).test(query) ? named : undefined;
  const isForAccount = rootFields(query, operationName).some(isOfAccount);
  try {
    const response = await fetchInTime(urlOf('graphql'), {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json',
        'content-type': 'application/json',
        ...(session && { authorization: `Bearer ${session.accessToken}` }),
        ...(isForAccount && accountHeaders(organization)),
      },
      body: JSON.stringify({ query, variables, ...(operationName && { operationName }) }),
    });
    // The server no longer accepts this token, for example because the development provider restarted with new keys.
    if (response.status === 401 && session) expireSession();
    const answer = await response.json();
    // Nothing of one account is shown beside the name of another.
    const now = getAccount();
    if (now.organization !== organization || now.left !== left)
      throw new Error('The account of this page has changed meanwhile.');
    return answer;
  } catch (error) {
    return { errors: [{ message: (error as Error).message }] };
  }
};
