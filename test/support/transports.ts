import type { Answer, Call } from './gateway.ts';
import type { TokenClaims } from './issuer.ts';
import type { Setup } from './set-up-gateway.ts';

/** An operation, as both transports know it. */
export interface CalledOperation {
  /** The root field. */
  readonly field: string;
  /** Method and path below `/api/v1`, parameters in braces. */
  readonly rest: readonly [method: string, path: string];
  /** A GraphQL document with a variable for each input. */
  readonly query: string;
}

/** What came of a call, in REST's names, whichever transport it went through. */
export interface Outcome {
  readonly status: number;
  /** `OK`, or the code of the error. */
  readonly code: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly data?: any;
  readonly message?: string;
  /** The name of each input that will not do, and why. */
  readonly issues?: readonly (readonly [string, string])[];
}

type Input = Readonly<Record<string, unknown>>;

/** Calls an operation with an input in GraphQL's names, by somebody with these claims: alice unless told otherwise. */
export type CallOperation = (input?: Input, claims?: TokenClaims) => Promise<Outcome>;

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const inSnakeCase = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [snakeCase(name), inRestSpelling(name, inner)]),
  );
};

/** The names within metadata are the caller's; a refill is an enum. */
const inRestSpelling = (name: string, value: unknown): unknown => {
  if (name === 'refill' && typeof value === 'string') return value.toLowerCase();
  return name === 'metadata' ? value : inSnakeCase(value);
};

const codes: Record<number, string> = {
  200: 'OK',
  201: 'OK',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'BAD_USER_INPUT',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

const restOutcome = ({ status, body }: Answer): Outcome => {
  const code = codes[status] ?? `${status}`;
  if (code === 'OK') return { status, code, data: body };
  if (typeof body.detail === 'string') return { status, code, message: body.detail };
  const issues = body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.at(-1), type]);
  return { status, code, issues };
};

/** REST has the members of a new key's record beside its secret, GraphQL the record. */
const withoutRecord = (data: unknown): unknown => {
  const { apiKey, ...members } = (data ?? {}) as Input;
  return apiKey ? { ...apiKey, ...members } : data;
};

const graphqlOutcome = ({ status, body }: Answer, field: string): Outcome => {
  if (!body.errors) return { status, code: 'OK', data: inSnakeCase(withoutRecord(body.data[field])) };
  const [{ message, extensions }] = body.errors;
  const { code, issues } = extensions;
  if (!issues) return { status, code, message };
  const found = issues.map(({ path, type }: { path: string[]; type: string }) => [
    snakeCase(path.at(-1) ?? ''),
    type,
  ]);
  return { status, code, issues: found };
};

const toRestCall = ([method, path]: CalledOperation['rest'], input: Input): [string, string, Call] => {
  const given = new Map(Object.entries(inSnakeCase(input) as Input));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = given.get(name);
    given.delete(name);
    return encodeURIComponent(String(value));
  });
  const rest = Object.fromEntries(given);
  if (method === 'GET')
    return [method, `${filled}?${new URLSearchParams(rest as Record<string, string>)}`, {}];
  return [method, filled, { json: rest }];
};

/** The ways to call an operation, by the name of the transport, for `describe.each`. */
export function transportsOf(setup: Setup, operation: CalledOperation): [name: string, CallOperation][] {
  return [
    [
      'REST',
      async (input = {}, claims = {}) => {
        const [method, path, call] = toRestCall(operation.rest, input);
        return restOutcome(
          await setup.gateway.rest(method, path, { ...call, token: await setup.sign(claims) }),
        );
      },
    ],
    [
      'GraphQL',
      async (input = {}, claims = {}) => {
        const token = await setup.sign(claims);
        return graphqlOutcome(
          await setup.gateway.graphql(operation.query, { token, variables: input }),
          operation.field,
        );
      },
    ],
  ];
}
