import type { SwaggerRequest, SwaggerResponse } from 'swagger-ui-dist';
import { fetchInTime } from '../shared/fetch-in-time.ts';
import { findSession } from '../sign-in/find-session.ts';
import { expireSession, getSession } from '../sign-in/session.ts';

/** The paths that take an API key in place of an access token. */
const forKeys = ['/api/v1/keys/authorize', '/api/v1/keys/self'];

/** Whether a request carries the access token of the person who is signed in. */
export const takesToken = (url: string) =>
  !forKeys.some((path) => new URL(url, location.href).pathname.startsWith(path));

/** Sends a request of Swagger UI; if it fails, the error is a sentence. */
const userFetch = (url: string, init: RequestInit) => fetchInTime(url, init);

/** Adds the access token to a request that Swagger UI is about to send. */
export async function authorize(request: SwaggerRequest): Promise<SwaggerRequest> {
  Object.assign(request, { userFetch });
  if (!takesToken(request.url)) return request;
  const session = await findSession();
  if (!session) return request;
  return Object.assign(request, {
    headers: { ...request['headers'], Authorization: `Bearer ${session.accessToken}` },
  });
}

/** Ends the session if the server no longer accepts the token. */
export function noticeRefusal(response: SwaggerResponse): SwaggerResponse {
  if (response['status'] === 401 && takesToken(response['url']) && getSession().session) expireSession();
  return response;
}
