import { expect } from 'vitest';
import { isApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { routes } from '../../src/rest/routes.ts';
import type { Answer, TestGateway } from './gateway.ts';

/** One call, spelled for both sides. */
export interface Step {
  readonly operation: keyof typeof queries;
  /** Members of the input: GraphQL's name → JSON text. */
  readonly input: Readonly<Record<string, string>>;
  /** Where a member of the input stands in REST's path: that text. */
  readonly pathText?: string;
  /** A path is text, variables are JSON: of a word in the place of a number the two cannot say the same words. */
  readonly comparesWords: boolean;
}

/** What came of a call, in GraphQL's names, whichever side answered. */
export interface SideOutcome {
  readonly code: string;
  readonly challenge: string | null;
  readonly data?: unknown;
  readonly message?: string;
  readonly issues?: readonly { path: string[]; message: string; type: string }[];
}

const apiKey = `id keyPrefix name createdAt isActive isDefault encryptedKey encryptionVersion
    expiresAt deactivatedAt previousWorksUntil lastUsedAt`;
const settings = 'isEnabled sessionDuration userId createdAt updatedAt';
const status = 'hasKey createdAt updatedAt';
const list = (node: string) => `{ edges { node { ${node} } } pageInfo { hasNextPage endCursor } }`;

/** A document for each operation, with its arguments in the order in which the schema has them. */
export const queries = {
  createApiKey: `mutation ($name: String, $expiresAt: DateTime) {
    createApiKey(name: $name, expiresAt: $expiresAt) { ${apiKey} key } }`,
  apiKeys: `query ($isActive: Boolean, $first: Int, $after: String) {
    apiKeys(isActive: $isActive, first: $first, after: $after) ${list(apiKey)} }`,
  defaultApiKey: `{ defaultApiKey { ${apiKey} } }`,
  apiKey: `query ($keyId: Int!) { apiKey(keyId: $keyId) { ${apiKey} } }`,
  renameApiKey: `mutation ($keyId: Int!, $name: String) {
    renameApiKey(keyId: $keyId, name: $name) { ${apiKey} } }`,
  setDefaultApiKey: `mutation ($keyId: Int!) { setDefaultApiKey(keyId: $keyId) { ${apiKey} } }`,
  rotateApiKey: `mutation ($keyId: Int!, $graceSeconds: Int) {
    rotateApiKey(keyId: $keyId, graceSeconds: $graceSeconds) { ${apiKey} key } }`,
  deactivateApiKey: `mutation ($keyId: Int!) { deactivateApiKey(keyId: $keyId) { ${apiKey} } }`,
  privateKeyStatus: `{ privateKeyStatus { ${status} } }`,
  registerPrivateKey: `mutation ($privateKey: String!) {
    registerPrivateKey(privateKey: $privateKey) { ${status} } }`,
  removePrivateKey: `mutation { removePrivateKey { ${status} } }`,
  automationSettings: `{ automationSettings { ${settings} } }`,
  updateAutomationSettings: `mutation ($isEnabled: Boolean, $sessionDuration: Int) {
    updateAutomationSettings(isEnabled: $isEnabled, sessionDuration: $sessionDuration) { ${settings} } }`,
  auditEvents: `query ($first: Int, $after: String) {
    auditEvents(first: $first, after: $after) ${list('id action targetId userId address createdAt')} }`,
  verifyApiKey: `mutation ($key: String!) {
    verifyApiKey(key: $key) { valid reason keyId userId expiresAt name } }`,
};

const codes: Record<number, string> = {
  200: 'OK',
  201: 'OK',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'BAD_USER_INPUT',
};

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Arguments that REST calls by another name. */
const restNames: Record<string, string> = { first: 'limit', after: 'cursor' };
const graphqlNames: Record<string, string> = { limit: 'first', cursor: 'after' };

const jsonObject = (members: Readonly<Record<string, string>>) =>
  `{${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;

const json = { 'content-type': 'application/json' };

const routeOf = ({ operation }: Step) => {
  const route = routes[operation];
  if (!route) throw new Error(`${operation} has no route`);
  return route;
};

/** Calls through GraphQL. */
export function callGraphql(gateway: TestGateway, { operation, input }: Step, token: string | undefined) {
  const query = JSON.stringify(queries[operation]);
  const body = jsonObject({ query, variables: jsonObject(input) });
  const headers = { ...json, accept: 'application/graphql-response+json' };
  return gateway.fetch('POST', '/graphql', { body, headers, ...(token && { token }) });
}

const toQueryText = (text: string): string => (text.startsWith('"') ? JSON.parse(text) : text);

/** Calls through REST. */
export function callRest(gateway: TestGateway, step: Step, token: string | undefined) {
  const { method, path } = routeOf(step);
  const filled = path.replace('{key_id}', encodeURIComponent(step.pathText ?? ''));
  const members = Object.entries(step.input)
    .map(([name, text]) => [restNames[name] ?? snake(name), text] as const)
    .filter(([name]) => !path.includes(`{${name}}`));
  const call = { ...(token && { token }) };
  if (method === 'DELETE') return gateway.rest(method, filled, call);
  if (method !== 'GET')
    return gateway.rest(method, filled, {
      ...call,
      body: jsonObject(Object.fromEntries(members)),
      headers: json,
    });
  const query = new URLSearchParams(members.map(([name, text]) => [name, toQueryText(text)]));
  return gateway.rest(method, `${filled}?${query}`, call);
}

/** The same value without what is random in it: secrets and their prefixes. */
export const withoutSecrets = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null), (name, inner) => {
    if (name === 'key' && isApiKeySecret(inner)) return '<secret>';
    return /^key_?prefix$/i.test(name) && inner !== 'sk-a1b2c3' ? '<prefix>' : inner;
  });

interface Connection {
  readonly edges: readonly { readonly node: unknown }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const isConnection = (data: object | null): data is Connection => data !== null && 'edges' in data;

/** What GraphQL's answer comes to; a page is its members and where the next one begins. */
export function graphqlOutcome({ body, headers }: Answer, { operation }: Step): SideOutcome {
  const challenge = headers.get('www-authenticate');
  if (body.errors) {
    const [{ message, extensions }] = body.errors;
    const { code, issues } = extensions;
    return { code, challenge, ...(issues ? { issues } : { message }) };
  }
  const data = body.data[operation];
  if (!isConnection(data)) return { code: 'OK', challenge, data: withoutSecrets(data) };
  const { hasNextPage, endCursor } = data.pageInfo;
  const nodes = data.edges.map(({ node }) => node);
  return { code: 'OK', challenge, data: withoutSecrets({ nodes, next: hasNextPage ? endCursor : null }) };
}

const inCamelCase = (record: object | null) =>
  record && Object.fromEntries(Object.entries(record).map(([name, value]) => [camel(name), value]));

const readData = ({ body, headers }: Answer): unknown => {
  if (!Array.isArray(body)) return inCamelCase(body);
  const link = /^<[^>]*[?&]cursor=([^&>]+)>; rel="next"$/.exec(headers.get('link') ?? '');
  // The contract of audit events has a request's id, which is another one each time.
  const nodes = body.map(inCamelCase).map((node) => {
    const { requestId: _requestId, ...others } = node ?? {};
    return others;
  });
  return { nodes, next: link?.[1] ?? null };
};

const placeOf = (step: Step, name: string): string => {
  const { method, path } = routeOf(step);
  if (path.includes(`{${name}}`)) return 'path';
  return method === 'GET' ? 'query' : 'body';
};

/** What REST's answer comes to, in GraphQL's names. */
export function restOutcome(answer: Answer, step: Step): SideOutcome {
  const code = codes[answer.status] ?? `status ${answer.status}`;
  const challenge = answer.headers.get('www-authenticate');
  if (code === 'OK') return { code, challenge, data: withoutSecrets(readData(answer)) };
  const { detail } = answer.body;
  if (typeof detail === 'string') return { code, challenge, message: detail };
  const issues = detail.map(({ loc, msg, type }: { loc: string[]; msg: string; type: string }) => {
    expect(loc[0]).toBe(placeOf(step, `${loc[1]}`));
    return { path: loc.slice(1).map((name) => graphqlNames[name] ?? camel(name)), message: msg, type };
  });
  return { code, challenge, issues };
}
