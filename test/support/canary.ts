import type { Call, TestGateway } from './gateway.ts';
import type { TokenClaims } from './issuer.ts';

/** What was sent with a canary in it. */
export interface Song {
  readonly tokens: readonly string[];
  /** How many requests there were. */
  readonly requests: number;
}

const json = { 'content-type': 'application/json' };

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
  await Promise.all(calls);
  return { tokens: [token, verifier], requests: calls.length };
}
