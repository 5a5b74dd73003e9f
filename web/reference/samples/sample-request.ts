import { type FoundOperation, formType } from '../description/operations.ts';
import { variable } from './variables.ts';

/** A request to write in a language. Its texts may refer to variables of the environment. */
export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Sent as JSON; undefined: no such body. */
  readonly body?: unknown;
  /** Sent as a form; undefined: no such body. */
  readonly form?: readonly (readonly [name: string, value: string])[];
  /** Whether the response has a JSON body. */
  readonly returnsJson: boolean;
}

/** The members of bodies that hold a secret, and the variable that a sample reads it from. */
export const secrets: Readonly<Record<string, string>> = {
  private_key: 'PRIVATE_KEY',
  key: 'API_KEY',
  token: 'API_KEY',
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A body without its secrets.
 * @param write writes what stands in place of a secret, by the name of its variable
 * @param variables the members that hold a secret, or an object of secrets, with their variables
 */
export const withoutSecrets = (
  body: unknown,
  write: (variable: string) => string,
  variables = secrets,
): unknown =>
  isObject(body)
    ? Object.fromEntries(
        Object.entries(body).map(([name, value]) => {
          const secret = variables[name];
          return [name, secret === undefined ? value : hidden(value, write(secret))];
        }),
      )
    : body;

/** A secret, or each of several. */
const hidden = (value: unknown, placeholder: string): unknown => {
  if (typeof value === 'string') return placeholder;
  return isObject(value) ? Object.fromEntries(Object.keys(value).map((name) => [name, placeholder])) : value;
};

/** The headers that say who sends a request. */
const credentialHeaders = (
  { credential }: Pick<FoundOperation, 'credential'>,
  keyHeader: string,
): SampleRequest['headers'] => {
  if (credential === 'token') return [['Authorization', `Bearer ${variable('ACCESS_TOKEN')}`]];
  return credential === 'key' ? [[keyHeader, variable('API_KEY')]] : [];
};

/** The parameters that a sample sends: those that are required, and the one that a proxy is there for. */
const isInSample = ({ name, required }: { name: string; required?: boolean }) =>
  required === true || name === 'X-Keyward-Require';

/**
 * The request that a sample shows for an operation, with the examples of the description.
 * @param origin the address of the service
 * @param keyHeader the header that carries an API key
 */
export function sampleOf(found: FoundOperation, origin: string, keyHeader: string): SampleRequest {
  const parameters = found.parameters.filter(isInSample);
  const textOf = (place: string) =>
    parameters.filter((each) => each.in === place).map(({ name, example }) => [name, `${example}`] as const);
  const path = textOf('path').reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)),
    found.path,
  );
  const query = new URLSearchParams(textOf('query').map(([name, value]) => [name, value])).toString();
  const { body } = found;
  const form = textOf('form').map(
    ([name, value]) => [name, secrets[name] ? variable(secrets[name]) : value] as const,
  );
  return {
    method: found.method,
    url: `${origin}${path}${query && `?${query}`}`,
    headers: [
      ...credentialHeaders(found, keyHeader),
      ...textOf('header'),
      ...(body ? [['Content-Type', 'application/json'] as const] : []),
      ...(form.length > 0 ? [['Content-Type', formType] as const] : []),
    ],
    ...(form.length > 0 && { form }),
    ...(body && { body: withoutSecrets(body.example, variable) }),
    returnsJson: Object.entries(found.operation.responses).some(
      ([status, response]) => status < '300' && 'content' in response && response.content !== undefined,
    ),
  };
}
