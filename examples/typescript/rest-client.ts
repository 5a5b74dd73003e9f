import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi.d.ts';
import { KeywardError } from './keyward-error.ts';
import { sendWithRetries } from './send-with-retries.ts';

/** A REST client with types from `schema/openapi.json`. It may send a request again, except a POST. */
export const createRestClient = (url: string, token: string) =>
  createClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    fetch: (request) => sendWithRetries(request, request.method !== 'POST'),
  });

/** A client of REST. */
export type RestClient = ReturnType<typeof createRestClient>;

type Refusal = components['schemas']['Error'] | components['schemas']['ValidationError'];

/** A proxy's own response has no `detail`. */
const messageOf = (refusal: Partial<Refusal> | undefined, { statusText }: Response): string => {
  const detail = refusal?.detail ?? statusText;
  return typeof detail === 'string'
    ? detail
    : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(' ');
};

/**
 * The data of a response.
 * @throws {KeywardError} if Keyward refused the request
 */
export function dataOf<Data>(answer: { data?: Data; error?: Refusal | undefined; response: Response }): Data {
  const { data, error, response } = answer;
  if (data !== undefined) return data;
  throw new KeywardError(response.status, messageOf(error, response), response);
}

/** The cursor of the next page, as in `Link: </api/v1/auth/keys?cursor=MjA>; rel="next"`. */
function nextCursor({ url, headers }: Response): string | undefined {
  const [, next] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return next && (new URL(next, url).searchParams.get('cursor') ?? undefined);
}

/** Your active API keys, newest first, from all pages. */
export async function* listApiKeys(rest: RestClient) {
  let cursor: string | undefined;
  do {
    const query = { is_active: true, limit: 2, ...(cursor && { cursor }) };
    const page = await rest.GET('/api/v1/auth/keys', { params: { query } });
    yield* dataOf(page);
    cursor = nextCursor(page.response);
  } while (cursor);
}
