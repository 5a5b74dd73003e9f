import type { Answer, Call, TestGateway } from './gateway.ts';
import type { TokenClaims } from './issuer.ts';

/** What was sent with a canary in it. */
export interface Song {
  readonly tokens: readonly string[];
  /** How many requests there were. */
  readonly requests: number;
  /** What was answered to it as a value of another type than is wanted. */
  readonly refusals: readonly Answer[];
}

/** A number that stands nowhere else: a canary that is no text. */
export const canaryNumber = 8_731_926_459;

const json = { 'content-type': 'application/json' };

const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** A token exchange that is right but for some of its parameters. */
const exchangeOf = (wrong: Record<string, string>): string =>
  new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: 'sk-x',
    subject_token_type: 'urn:keyward:params:oauth:token-type:api-key',
    ...wrong,
  }).toString();

/** A canary as JSON and as GraphQL has it, in each shape that is no text. */
const shapesOf = (canary: string): [value: unknown, literal: string][] => {
  const text = JSON.stringify(canary);
  return [
    [[canary], `[${text}]`],
    [[[canary], canaryNumber], `[[${text}], ${canaryNumber}]`],
    [{ a: canary }, `{a: ${text}}`],
    [{ [canary]: [{ a: canary }] }, `{canary7f3a: [{a: ${text}}]}`],
    [canaryNumber, `${canaryNumber}`],
    [canaryNumber / 1e5, `${canaryNumber / 1e5}`],
    [[canaryNumber], 'canary7f3a'],
  ];
};

/** Sends a gateway a canary as a value of each shape, by every way that a value has. */
const sendShapes = ({ rest, graphql, fetch }: TestGateway, token: string, canary: string) => {
  const register = (value: string, variable = '') =>
    `mutation ${variable} { registerPrivateKey(privateKey: ${value}) { hasKey } }`;
  const query = encodeURIComponent('query ($k: Int!) { apiKey(keyId: $k) { id } }');
  return shapesOf(canary).flatMap(([value, literal]) => [
    rest('POST', '/auth/private-key', { token, json: { private_key: value } }),
    rest('PUT', '/automation/settings', { token, json: { is_enabled: value, session_duration: value } }),
    rest('POST', '/auth/keys/1/rotate', { token, json: { grace_seconds: value } }),
    rest('GET', `/auth/keys?limit=${encodeURIComponent(JSON.stringify(value))}`, { token }),
    rest('POST', '/auth/private-key', { token, body: `{"private_key": ${literal}`, headers: json }),
    graphql(register('$k', '($k: String!)'), { token, variables: { k: value } }),
    graphql(register('$k', `($k: String! = ${literal})`), { token }),
    graphql(register(literal), { token }),
    graphql(register(`"x" ${literal}`), { token }),
    graphql(`{ privateKeyStatus @include(if: ${literal}) { hasKey } }`, { token }),
    fetch('GET', `/graphql?query=${query}&variables=${encodeURIComponent(literal)}.`, { token }),
    fetch('POST', '/graphql', { token, body: `{"variables": {"k": ${literal}}`, headers: json }),
  ]);
};

/** Sends a gateway a text in every place that a caller can write to; no telemetry may repeat it. */
export async function sing(
  { gateway, sign }: { gateway: TestGateway; sign(claims: TokenClaims): Promise<string> },
  canary: string,
): Promise<Song> {
  const token = await sign({ sub: canary, jti: canary, email: `${canary}@example.com` });
  const verifier = await sign({ sub: canary, scope: 'keys.verify' });
  const text = encodeURIComponent(canary);
  const { rest, graphql, fetch } = gateway;
  const headers = {
    ...{ 'user-agent': text, cookie: text, referer: text, 'x-request-id': `${text}!` },
    ...{ traceparent: `00-${text}-01`, tracestate: `k=${text}`, baggage: `k=${text}` },
  };
  const put = (call: Call) => rest('PUT', '/automation/settings', { token, ...call });
  const calls = [
    rest('GET', `/auth/private-key?${text}=${text}`, { token, headers }),
    rest('GET', '/auth/private-key', { token: `${token}x` }),
    rest('GET', '/auth/private-key', { token: `${text}.${text}.${text}` }),
    rest('GET', '/auth/private-key', { token: text, headers }),
    rest('GET', '/auth/private-key', { headers: { authorization: `${text} ${text}` } }),
    rest('POST', '/auth/private-key', { token, json: { private_key: canary } }),
    rest('DELETE', `/auth/keys/${text}`, { token }),
    rest('DELETE', '/auth/keys/1', { token }),
    rest('GET', `/${text}`, { token }),
    put({ json: { [canary]: canary, is_enabled: true } }),
    put({ json: { is_enabled: canary } }),
    put({ json: canary }),
    put({ body: canary, headers: json }),
    put({ body: canary, headers: { 'content-type': text } }),
    rest('POST', '/keys/verify', { token: verifier, json: { key: canary } }),
    rest('POST', '/oauth/introspect', { token: verifier, body: `token=${text}`, headers: form }),
    rest('POST', '/oauth/introspect', { token: verifier, body: `token=x&cost=${text}`, headers: form }),
    rest('POST', '/oauth/token', { body: `grant_type=${text}`, headers: form }),
    ...['subject_token', 'scope', 'audience', 'subject_token_type', 'requested_token_type'].map((name) =>
      rest('POST', '/oauth/token', { body: exchangeOf({ [name]: canary }), headers: form }),
    ),
    rest('GET', `/keys/authorize/${text}`, { headers: { ...headers, 'x-api-key': text } }),
    fetch('GET', `/graphql?query=${text}`, { token }),
    graphql(`# ${canary}\n{ privateKeyStatus { hasKey } }`, { token, headers }),
    graphql('{ canary7f3a }', { token }),
    graphql(canary, { token }),
    graphql('query canary7f3a { privateKeyStatus { hasKey } }', { token, variables: { [canary]: canary } }),
    graphql('{ canary7f3a: privateKeyStatus { hasKey } }', { token }),
    graphql('mutation ($k: Int!) { deactivateApiKey(keyId: $k) { id } }', {
      token,
      variables: { k: canary },
    }),
    graphql('mutation { deactivateApiKey(keyId: "canary7f3a") { id } }', { token }),
    graphql('mutation ($k: String!) { registerPrivateKey(privateKey: $k) { hasKey } }', {
      token,
      variables: { k: canary },
    }),
  ];
  const refusals = await Promise.all(sendShapes(gateway, token, canary));
  await Promise.all(calls);
  return { tokens: [token, verifier], requests: calls.length + refusals.length, refusals };
}
