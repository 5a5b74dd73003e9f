import { findSession } from '../sign-in/find-session.ts';

/** Where an API key is sent in place of an access token. */
const forwardAuth = '/api/v1/keys/authorize';

/** A request as Swagger UI is about to send it. */
interface TriedRequest {
  readonly url: string;
  headers?: Record<string, string>;
}

/** Puts the token of who is signed in on a request. */
export async function authorize(request: TriedRequest): Promise<TriedRequest> {
  if (new URL(request.url, location.href).pathname.startsWith(forwardAuth)) return request;
  const session = await findSession();
  if (session) request.headers = { ...request.headers, Authorization: `Bearer ${session.accessToken}` };
  return request;
}
