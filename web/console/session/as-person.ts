import { pageLanguage } from '../../shared/page-language.ts';
import { expireSession, getSession, renewSession, type Session } from '../../sign-in/session.ts';
import { signedOut } from '../api/problem.ts';

/** Sends one request, with the `Authorization` that it is given. */
type SendWith = (authorization: string) => Promise<Response>;

/**
 * Takes the person who is signed in now.
 * @returns sends requests as that person; if their token is refused, once more with a new one
 */
export function asPerson(): (sendWith: SendWith) => Promise<Response> {
  const { session } = getSession();
  return async (sendWith) => {
    if (!session) throw signedOut(pageLanguage());
    const sendAs = ({ accessToken }: Session) => sendWith(`Bearer ${accessToken}`);
    const response = await sendAs(session);
    if (response.status !== 401) return response;
    // The server did nothing yet. After sleep, for example, a token may be over before it could be renewed.
    const found = await renewSession(session);
    // Meanwhile, somebody else may have signed in.
    const renewed = found?.person === session.person ? found : undefined;
    const second = renewed ? await sendAs(renewed) : response;
    if (second.status === 401 && [session, renewed].includes(getSession().session)) expireSession();
    return second;
  };
}
