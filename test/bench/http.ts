/** A request as the load generators send it, again and again. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer. */
export interface Answer {
  readonly status: number;
  /** The headers that every answer has to have; of the request's id, whether it is there. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** JSON, read; a text where it is none. */
  readonly body: unknown;
}

const json = { 'content-type': 'application/json' };

/** A REST request with a token, if any, and a body, if any. */
export const rest = (method: string, path: string, token?: string, body?: string): HttpRequest => ({
  method,
  path: `/api/v1${path}`,
  headers: {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && json),
  },
  ...(body !== undefined && { body }),
});

/** A GraphQL request: a document and its variables, as a client sends them. */
export const graphql = (query: string, token?: string, variables: object = {}): HttpRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...json,
    accept: 'application/graphql-response+json, application/json;q=0.9',
  },
  body: JSON.stringify({ query, variables }),
});

/** A request as it goes over the wire. */
export function rawRequest({ method, path, headers, body }: HttpRequest, host: string): string {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n');
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** What every answer has to say, whoever gives it, and what a verification says. */
const comparedHeaders = [
  'cache-control',
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-keyward-key',
  'x-keyward-user',
];

/** Sends one request. */
export async function send(url: string, { method, path, headers, body }: HttpRequest): Promise<Answer> {
  const response = await fetch(url + path, { method, headers, body: body ?? null });
  return {
    status: response.status,
    headers: {
      ...Object.fromEntries(comparedHeaders.map((name) => [name, response.headers.get(name)])),
      'x-request-id': response.headers.has('x-request-id'),
    },
    body: readJson(await response.text()),
  };
}
