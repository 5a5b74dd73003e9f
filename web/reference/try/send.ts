import { fetchInTime } from '../../shared/fetch-in-time.ts';
import { serviceUrl } from '../../shared/place.ts';
import { getAccount } from '../../sign-in/account.ts';
import { findSession } from '../../sign-in/find-session.ts';
import { expireSession, getSession } from '../../sign-in/session.ts';
import type { Credential } from '../description/operations.ts';
import { describeRequest } from './describe-request.ts';
import type { Entered } from './read-form.ts';

/** A response, and the request that it answers. */
export interface Exchange {
  readonly status: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The request as a command of curl, without secrets. */
  readonly curl: string;
}

const indent = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/**
 * Sends a request, with the access token of the person who is signed in. Who is not is asked to sign in.
 * @throws {Error} with a sentence for a person
 */
export async function send(entered: Entered, credential: Credential): Promise<Exchange> {
  const { method, path, headers, text } = entered;
  const before = getAccount();
  const session = credential === 'token' ? await findSession() : undefined;
  // Somebody else may have signed in, or the person may have chosen another account.
  const now = getAccount();
  if (now.organization !== before.organization || now.left !== before.left)
    throw new Error('The account of this page has changed meanwhile. Nothing was sent.');
  const response = await fetchInTime(serviceUrl + path, {
    method,
    headers: [
      ...headers.map(([name, value]): [string, string] => [name, value]),
      ...(session ? [['Authorization', `Bearer ${session.accessToken}`] as [string, string]] : []),
    ],
    ...(text !== undefined && { body: text }),
    // The reference shows what the service says now.
    cache: 'no-store',
  });
  if (response.status === 401 && session && getSession().session) expireSession();
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    headers: [...response.headers],
    body: indent(await response.text()),
    curl: describeRequest(entered, serviceUrl, session !== undefined),
  };
}
