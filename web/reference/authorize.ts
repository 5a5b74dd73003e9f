import type { SwaggerRequest, SwaggerResponse } from 'swagger-ui-dist';
import { fetchInTime } from '../shared/fetch-in-time.ts';
import { findSession } from '../sign-in/find-session.ts';
import { expireSession, getSession } from '../sign-in/session.ts';

/** Where an API key is sent in place of an access token. */
const forKeys = ['/api/v1/keys/authorize', '/api/v1/keys/self'];

/** Whether a request goes with the token of who is signed in. */
export const takesToken = (url: string) =>
  !forKeys.some((path) => new URL(url, location.href).pathname.startsWith(path));

/** How Swagger UI sends a request: what goes wrong is told in words. */
const userFetch = (url: string, init: RequestInit) => fetchInTime(url, init);

/** Puts the token of who is signed in on a request that Swagger UI is about to send. */
export async function authorize(request: SwaggerRequest): Promise<SwaggerRequest> {
  Object.assign(request, { userFetch });
  if (!takesToken(request.url)) return request;
  const session = await findSession();
  if (!session) return request;
  return Object.assign(request, {
    headers: { ...request['headers'], Authorization: `Bearer ${session.accessToken}` },
  });
}

/** The server takes a token no more: a service that was started again has new signing keys, for one. */
export function noticeRefusal(response: SwaggerResponse): SwaggerResponse {
  if (response['status'] === 401 && takesToken(response['url']) && getSession().session) expireSession();
  return response;
}
