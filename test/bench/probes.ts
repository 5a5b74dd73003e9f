import type { Answer, HttpRequest } from './http.ts';
import type { World } from './world.ts';

/** A request whose answer is compared. */
export interface Probe {
  readonly name: string;
  readonly request: HttpRequest;
  /** What of the answer must be the same. */
  readonly view: (answer: Answer) => unknown;
}

/** Status, headers and body; members that have the time of the write are masked. */
export const whole =
  (...masked: readonly string[]) =>
  ({ status, headers, body }: Answer) => ({
    status,
    headers,
    body: JSON.parse(JSON.stringify(body), (name, value) =>
      masked.includes(name) && /^\d{4}-\d\d-\d\dT.{12}Z$/.test(value) ? '<time>' : value,
    ),
  });

/** The status alone. */
export const statusOnly = ({ status }: Answer) => ({ status });

/** The code of the first GraphQL error. */
export const errorCode = ({ body }: Answer) =>
  (body as { errors?: { extensions?: { code?: unknown } }[] }).errors?.[0]?.extensions?.code;

/** Status and code. */
export const statusAndCode = (answer: Answer) => ({ status: answer.status, code: errorCode(answer) });

/** No request without a good token is let through. */
export const tokenProbes = (
  { refused }: World,
  request: (token?: string) => HttpRequest,
  view: Probe['view'],
): Probe[] => [
  { name: 'no token', request: request(), view },
  ...Object.entries(refused).map(([name, token]) => ({
    name: `a token ${name}`,
    request: request(token),
    view,
  })),
];
