import type { Answer, Incoming } from '../../src/http/exchange.ts';
import type { Answering } from '../../src/http/listener.ts';

/** A fetch request as Node would have read it. */
export async function toIncoming(request: Request): Promise<Incoming> {
  const { method, url, headers, body } = request;
  return {
    method,
    url: url.slice(url.indexOf('/', url.indexOf('//') + 2)),
    headers: Object.fromEntries(headers),
    body: body ? await request.bytes() : undefined,
  };
}

const sharedBodies = new WeakMap<Response, Uint8Array>();

/** The bytes that an answer shares with others; undefined where it has a body of its own. */
export const sharedBodyOf = (response: Response): Uint8Array | undefined => sharedBodies.get(response);

/** All parts of a long answer. */
async function readAll(body: Answer['body'], rest: Answer['rest']): Promise<Answer['body']> {
  if (!rest) return body;
  let text = `${body}`;
  try {
    for (let part = await rest.next(); part !== undefined; part = await rest.next()) text += part;
  } catch (error) {
    throw new Error(`An answer without an end: ${text}`, { cause: error });
  } finally {
    await rest.end();
  }
  return text;
}

/** An answer as a fetch client would have it. */
export async function toResponse({ method }: Request, answer: Answer): Promise<Response> {
  const { status, headers, isShared } = answer;
  const body = await readAll(answer.body, answer.rest);
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  const response = new Response(isEmpty ? null : (body as string), { status, headers });
  if (isShared) sharedBodies.set(response, body as Uint8Array);
  return response;
}

/** What is called as a fetch handler. */
export const asFetch =
  ({ answer }: Pick<Answering, 'answer'>) =>
  async (request: Request, address: string | null = null): Promise<Response> =>
    toResponse(request, await answer(await toIncoming(request), address));
