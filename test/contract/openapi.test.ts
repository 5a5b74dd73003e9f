import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AccountId } from '../../src/database/tables.ts';
import { routes } from '../../src/rest/routes.ts';
import { setReadOnly } from '../support/database.ts';
import { sharedBodyOf } from '../support/fetch-gateway.ts';
import { type Answer, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { noParts } from '../support/key-suite.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document that the tests themselves are the types of
type Json = any;

const document: Json = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));

const lookUp = (ref: string): Json =>
  ref
    .slice(2)
    .split('/')
    .reduce((place, name) => place[name], document);

/** What a part of the document says, references followed; an object holds what is documented and nothing else. */
const resolve = (part: Json): Json => {
  if (Array.isArray(part)) return part.map(resolve);
  if (typeof part !== 'object' || part === null) return part;
  if (part.$ref) return resolve(lookUp(part.$ref));
  const resolved = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolve(value)]));
  return resolved['type'] === 'object' ? { additionalProperties: false, ...resolved } : resolved;
};

/** All JSON Schemas within a part of the document. */
const schemasIn = (part: Json): Json[] =>
  typeof part !== 'object' || part === null ? [] : [part, ...Object.values(part).flatMap(schemasIn)];

it('every object describes its members, or allows any', () => {
  const objects = schemasIn(document).filter(({ type }) => [type].flat().includes('object'));
  const open = objects.filter(({ properties, allOf }) => properties === undefined && allOf === undefined);
  expect(open.length).toBeGreaterThan(10);
  // A generator would make it an object without members.
  expect(open.filter(({ additionalProperties }) => additionalProperties === undefined)).toEqual([]);
});

/** Fails unless a value is what a JSON Schema of the document says. */
const validate = (schema: Json, value: unknown) => {
  expect(schema).toBeTypeOf('object');
  const { error } = z.fromJSONSchema(resolve(schema)).safeParse(value);
  expect(error && z.prettifyError(error), JSON.stringify(value)).toBeUndefined();
};

const signedIn = ['openid', 'email', 'profile'];
const operations = [
  {
    ...{ operationId: 'deactivateApiKey', method: 'delete', path: '/api/v1/auth/keys/{key_id}' },
    scopes: ['idp.signin.user.admin', ...signedIn],
    statuses: ['200', '401', '403', '404', '412', '413', '422', '429', '500', '503'],
  },
  {
    ...{ operationId: 'privateKeyStatus', method: 'get', path: '/api/v1/auth/private-key' },
    scopes: signedIn,
    statuses: ['200', '304', '401', '403', '404', '412', '413', '422', '429', '500', '503'],
  },
  {
    ...{ operationId: 'updateAutomationSettings', method: 'put', path: '/api/v1/automation/settings' },
    scopes: signedIn,
    statuses: ['200', '401', '403', '404', '412', '413', '415', '422', '429', '500', '503'],
  },
];

const responseOf = (operationId: string, status: number): Json => {
  const { path, method } = operations.find((operation) => operation.operationId === operationId) ?? {};
  return resolve(document.paths[path as string][method as string].responses[status]);
};

describe('the document', () => {
  it('is OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
  });

  it('declares the security schemes of operations, and both ways to send an API key', () => {
    const { OAuth2, BearerToken, ServerSecret, ...others } = document.components.securitySchemes;
    expect(OAuth2).toMatchObject({
      type: 'openIdConnect',
      openIdConnectUrl: expect.stringMatching(/\/\.well-known\/openid-configuration$/),
    });
    expect(BearerToken).toMatchObject({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
    expect(ServerSecret).toMatchObject({ type: 'http', scheme: 'basic' });
    expect(others).toMatchObject({
      ApiKeyBearer: { type: 'http', scheme: 'bearer' },
      ApiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    });
    expect(Object.keys(others)).toHaveLength(2);
  });

  it('describes exactly the operations with a route', () => {
    const described = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const places = Object.values(routes).map(({ method, path }) => `${method.toLowerCase()} /api/v1${path}`);
    const ofKeys = ['get /api/v1/keys/authorize', 'get /api/v1/keys/self', 'delete /api/v1/keys/self'];
    const ofClients = ['post /api/v1/oauth/introspect', 'post /api/v1/oauth/token'];
    const others = [...ofKeys, ...ofClients, 'post /api/v1/keys/leaks'];
    expect(described.sort()).toEqual([...places, ...others].sort());
  });

  it('has no reference that leads nowhere', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref as string);
    expect(refs.length).toBeGreaterThan(10);
    for (const ref of refs) expect(lookUp(ref), ref).toBeTypeOf('object');
  });

  it('names no camelCase member', () => {
    const members = Object.values<Json>(document.components.schemas).flatMap(({ properties }) =>
      Object.keys(properties),
    );
    expect(members).toContain('key_prefix');
    expect(members.filter((name) => /[A-Z]/.test(name))).toEqual([]);
  });
});

describe('the example of an answer', () => {
  const answered = (method: string, path: string): Json => {
    const { responses } = document.paths[`/api/v1${path}`][method];
    return (responses[201] ?? responses[200]).content['application/json'].example;
  };

  it('leaves the names of variables, headers and codes as they are', () => {
    const texts = JSON.stringify(document);
    expect(texts).toContain('`API_KEYS_PER_ACCOUNT`');
    expect(texts).toContain('`Host`');
    expect(texts.match(/`_\w+`/g)).toBeNull();
  });

  it('shows a new API key as active, and never used', () => {
    expect(answered('post', '/auth/keys')).toMatchObject({
      is_active: true,
      deactivated_at: null,
      last_used_at: null,
    });
  });

  it.each([
    ['delete', '/auth/keys/{key_id}', { is_active: false, deactivated_at: expect.any(String) }],
    ['patch', '/auth/keys/{key_id}', { name: 'Laptop', is_active: true, deactivated_at: null }],
    ['delete', '/auth/private-key', { has_key: false, created_at: null, updated_at: null }],
  ])('shows what the call has done: %s %s', (method, path, done) => {
    expect(answered(method, path)).toMatchObject(done);
  });
});

it('every operation and webhook has a title of two to five words, and a description of whole sentences', () => {
  const described = Object.values({ ...document.paths, ...document.webhooks }).flatMap((path) =>
    Object.values(path as Record<string, { summary: string; description: string }>),
  );
  expect(described.length).toBeGreaterThan(50);
  for (const { summary, description } of described) {
    expect(summary).toMatch(/^[A-Z](?!.*\.$).{0,59}$/);
    expect(summary.split(' ').length, summary).toBeGreaterThanOrEqual(2);
    expect(summary.split(' ').length, summary).toBeLessThanOrEqual(5);
    expect(description).toMatch(/^[A-Z].*\.$/s);
  }
});

it('the operations that need scopes over others, and no others, take the secret of a server', () => {
  const ofOperators = ['keyward.admin', 'keyward.audit'];
  const overOthers = ['keys.verify', 'keys.import', 'accounts.act', 'accounts.entitle', ...ofOperators];
  // biome-ignore lint/suspicious/noExplicitAny: as it is published
  const all = Object.values<any>(document.paths).flatMap((methods) => Object.values<any>(methods));
  const scopesOf = ({ security = [] }) => security.flatMap(({ BearerToken = [] }) => BearerToken as string[]);
  const forServers = all.filter(
    (operation) =>
      scopesOf(operation).length > 0 && scopesOf(operation).every((scope) => overOthers.includes(scope)),
  );
  const acting = all.filter(({ parameters = [] }) => JSON.stringify(parameters).includes('KeywardAccount'));
  const taking = all.filter(({ security = [] }) => JSON.stringify(security).includes('ServerSecret'));
  const names = (some: typeof all) => some.map(({ operationId }) => operationId);
  expect(names(taking).toSorted()).toEqual([...names(forServers), ...names(acting)].toSorted());
  for (const { security } of acting) expect(security).toContainEqual({ ServerSecret: ['accounts.act'] });
  expect(names(taking)).toEqual(expect.arrayContaining(['verifyApiKey', 'setEntitlement', 'blockAccount']));
  const { get: trail } = document.paths['/api/v1/audit-events'];
  expect(trail.security).not.toContainEqual({ ServerSecret: ['keyward.admin'] });
});

describe.each(operations)('$method $path', ({ operationId, method, path, scopes, statuses }) => {
  const operation = document.paths[path][method];

  it('is named after its GraphQL field, and has a description', () => {
    expect(operation.operationId).toBe(operationId);
    expect(operation.description).toMatch(/^[A-Z].*\.$/s);
  });

  it('requires its scopes by either scheme', () => {
    const acting = ['accounts.act'];
    expect(operation.security).toEqual([
      ...[{ OAuth2: scopes }, { BearerToken: scopes }],
      ...[{ OAuth2: acting }, { BearerToken: acting }, { ServerSecret: acting }],
    ]);
  });

  it('lists each status that it can answer, in JSON', () => {
    expect(Object.keys(operation.responses).sort()).toEqual(statuses);
    for (const status of statuses) {
      const response = resolve(operation.responses[status]);
      expect(response.description).toMatch(/\.$/);
      expect(Object.keys(response.content ?? {})).toEqual(status === '304' ? [] : ['application/json']);
    }
  });

  it('every example matches its schema', () => {
    for (const status of statuses.filter((each) => each !== '304')) {
      const { schema, example } = resolve(operation.responses[status]).content['application/json'];
      validate(schema, example);
    }
    // A tag has no example: a page that fills it in would have every call refused.
    const given = (operation.parameters ?? []).map(resolve).filter((each: Json) => each.in !== 'header');
    for (const { schema, example } of given) validate(schema, example);
    const body = operation.requestBody?.content['application/json'];
    if (body) validate(body.schema, body.example);
  });

  it('carries a challenge in 401 and 403, and Retry-After in 503', () => {
    const headers = (status: number) => Object.keys(responseOf(operationId, status).headers ?? {});
    expect([401, 403, 503].map(headers)).toEqual([
      ['WWW-Authenticate'],
      ['WWW-Authenticate'],
      ['Retry-After'],
    ]);
  });
});

describe('input', () => {
  const headers = [
    { name: 'If-Match', in: 'header', required: false },
    { name: 'Keyward-Account', in: 'header', required: false },
    { name: 'Keyward-Organization', in: 'header', required: false },
  ];

  it('key_id is a 32-bit integer in the path', () => {
    const [parameter, ...others] = document.paths['/api/v1/auth/keys/{key_id}'].delete.parameters;
    expect(parameter).toMatchObject({
      name: 'key_id',
      in: 'path',
      required: true,
      schema: { type: 'integer', format: 'int32' },
    });
    expect(others.map(resolve)).toMatchObject(headers);
    expect(document.paths['/api/v1/auth/keys/{key_id}'].delete).not.toHaveProperty('requestBody');
  });

  it('settings are in a required body, where each is optional and nullable', () => {
    const { requestBody, parameters } = document.paths['/api/v1/automation/settings'].put;
    const { schema } = requestBody.content['application/json'];
    expect(parameters.map(resolve)).toMatchObject(headers);
    expect(requestBody.required).toBe(true);
    for (const body of [{}, { is_enabled: null, session_duration: null }, { is_enabled: false }])
      validate(schema, body);
    expect(schema.properties.is_enabled.type).toEqual(['boolean', 'null']);
    expect(schema.properties.session_duration.type).toEqual(['integer', 'null']);
    expect(schema.required).toBeUndefined();
  });
});

describe('records', () => {
  const keyMembers = [
    ...['name', 'encrypted_key', 'expires_at', 'deactivated_at', 'previous_works_until', 'last_used_at'],
    ...Object.entries(noParts).flatMap(([name, value]) => (value === null ? [name] : [])),
  ];
  const sometimes = ['paused_at', 'paused_by', 'pause_reason', 'owner_kind', 'created_by'];
  const nullable: Record<string, string[]> = {
    ApiKey: keyMembers,
    ApiKeyItself: [...keyMembers.filter((member) => member !== 'encrypted_key'), 'plan', 'entitlement'],
    Entitlement: ['plan', 'overrides', 'updated_at'],
    Grant: ['permissions', 'rate_limit', 'quota', 'max_active_keys', 'max_key_days', 'metadata'],
    ApiKeyQuota: ['refills_at'],
    ApiKeyRateLimit: [],
    Account: ['blocked_at', 'block_reason', 'erased_at'],
    AuditEvent: ['target_id', 'actor_id', 'server', 'reason', 'on_user_id', 'address'],
    AutomationSettings: ['is_enabled', 'session_duration', 'user_id', 'created_at', 'updated_at'],
    NewApiKey: keyMembers,
    PrivateKeyStatus: ['created_at', 'updated_at'],
  };

  it.each(Object.keys(nullable))(
    '%s always has all its members but those of paused keys and of organisations; some may be null',
    (name) => {
      const { properties, required } = document.components.schemas[name];
      const always = Object.keys(properties).filter((member) => !sometimes.includes(member));
      expect(required).toEqual(always);
      const mayBeNull = Object.keys(properties).filter((member) =>
        JSON.stringify(properties[member]).includes('"null"'),
      );
      expect(mayBeNull).toEqual(nullable[name]);
    },
  );

  it('changed settings always have an account and times', () => {
    const { schema } = responseOf('updateAutomationSettings', 200).content['application/json'];
    const { example } =
      document.paths['/api/v1/automation/settings'].put.responses[200].content['application/json'];
    const isAllowed = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    for (const name of ['user_id', 'created_at', 'updated_at'])
      expect(isAllowed({ ...example, [name]: null }), name).toBe(false);
    expect(isAllowed({ ...example, is_enabled: null, session_duration: null })).toBe(true);
  });
});

describe('the gateway', () => {
  let issuer: TestIssuer;
  let gateway: TestGateway;
  let alice: AccountId;
  let token: string;
  beforeAll(async () => {
    issuer = await startIssuer();
  });
  afterAll(() => issuer[Symbol.asyncDispose]());
  beforeEach(async () => {
    gateway = await createTestGateway(issuer, {
      leakReports: { act: 'end', keys: { find: async () => undefined } },
    });
    token = await issuer.sign();
    alice = await gateway.createAccount('alice');
  });
  afterEach(() => gateway[Symbol.asyncDispose]());

  const expectDocumented = (operationId: string, status: number, answer: Answer) => {
    expect(answer.status).toBe(status);
    const { content, headers = {} } = responseOf(operationId, status);
    expect(answer.headers.get('content-type')).toContain('application/json');
    validate(content['application/json'].schema, answer.body);
    for (const name of Object.keys(headers)) expect(answer.headers.has(name), name).toBe(true);
  };

  it('serves this document, with its own identity provider in it', async () => {
    const { status, body, headers } = await gateway.rest('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    const url = `${issuer.config.issuer}/.well-known/openid-configuration`;
    expect(body.components.securitySchemes.OAuth2.openIdConnectUrl).toBe(url);
    body.components.securitySchemes.OAuth2.openIdConnectUrl =
      document.components.securitySchemes.OAuth2.openIdConnectUrl;
    expect(body).toEqual(document);
  });

  it('Accept-Encoding → compressed, once for all requests', async () => {
    const url = 'http://keyward.test/api/v1/openapi.json';
    const ask = (encoding: string) =>
      gateway.gateway.fetch(new Request(url, { headers: { 'accept-encoding': encoding } }));
    const [plain, gzipped, again] = [await ask('identity'), await ask('br, gzip'), await ask('gzip')];
    expect([plain, gzipped].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
    for (const { headers } of [plain, gzipped]) expect(headers.get('vary')).toBe('Accept-Encoding');
    expect(sharedBodyOf(gzipped)).toBeInstanceOf(Uint8Array);
    expect(sharedBodyOf(again)).toBe(sharedBodyOf(gzipped));
    const text = await plain.text();
    expect(`${gunzipSync(await gzipped.arrayBuffer())}`).toBe(text);
    expect(sharedBodyOf(gzipped)?.byteLength).toBeLessThan(text.length / 5);
  });

  it.each([{ name: null }, { name: 'x', encryptedKey: 'a..b.c.d', encryptionVersion: 2 }])(
    'answers an API key as documented: %o',
    async (values) => {
      const id = await gateway.createApiKey(alice, values);
      const answer = await gateway.rest('DELETE', `/auth/keys/${id}`, { token });
      expectDocumented('deactivateApiKey', 200, answer);
    },
  );

  it('answers a key about itself as documented, and shows that in its example', async () => {
    const schema = { $ref: '#/components/schemas/ApiKeyItself' };
    const values = { metadata: '{"plan":"basic"}', permissions: '["a"]', rateLimit: 5, rateLimitWindow: 60 };
    const { secret } = await gateway.createVerifiableKey(alice, values);
    for (const method of ['GET', 'DELETE'])
      validate(schema, (await gateway.rest(method, '/keys/self', { headers: { 'x-api-key': secret } })).body);
    validate(schema, resolve(schema).examples[0]);
    expect(resolve(schema).properties).not.toHaveProperty('encrypted_key');
  });

  it('answers a verification as documented: of a key with rules, one without, and an unknown key', async () => {
    const { schema } = document.paths['/api/v1/keys/verify'].post.responses[200].content['application/json'];
    const values = { metadata: '{"plan":"basic"}', permissions: '["a"]', rateLimit: 5, rateLimitWindow: 60 };
    const verifier = await issuer.sign({ sub: 'server', scope: 'keys.verify' });
    const verify = async (key: string) =>
      (await gateway.rest('POST', '/keys/verify', { token: verifier, json: { key } })).body;
    for (const each of [values, {}])
      validate(schema, await verify((await gateway.createVerifiableKey(alice, each)).secret));
    validate(schema, await verify('x'));
  });

  it('answers a private key status as documented, with a key and without', async () => {
    const status = () => gateway.rest('GET', '/auth/private-key', { token });
    expectDocumented('privateKeyStatus', 200, await status());
    await gateway.createPrivateKey(alice);
    expectDocumented('privateKeyStatus', 200, await status());
  });

  it.each([{}, { is_enabled: true, session_duration: 60 }, { is_enabled: null, session_duration: null }])(
    'answers settings as documented after %o',
    async (json) => {
      const answer = await gateway.rest('PUT', '/automation/settings', { token, json });
      expectDocumented('updateAutomationSettings', 200, answer);
    },
  );

  it('answers errors as documented', async () => {
    const poor = await issuer.sign({ scope: 'openid' });
    const put = (call: object) => gateway.rest('PUT', '/automation/settings', { token, ...call });
    const end = (id: string, call: object = { token }) => gateway.rest('DELETE', `/auth/keys/${id}`, call);
    const settings = 'updateAutomationSettings';
    expectDocumented('deactivateApiKey', 401, await end('1', {}));
    expectDocumented('privateKeyStatus', 401, await gateway.rest('GET', '/auth/private-key', { token: 'x' }));
    expectDocumented('deactivateApiKey', 403, await end('1', { token: poor }));
    expectDocumented('deactivateApiKey', 404, await end('99'));
    expectDocumented(settings, 413, await put({ json: { more: 'a'.repeat(70_000) } }));
    expectDocumented(settings, 415, await put({ body: '{}', headers: { 'content-type': 'text/plain' } }));
    expectDocumented('deactivateApiKey', 422, await end('abc'));
    expectDocumented(settings, 422, await put({ json: { is_enabled: 1, session_duration: 'x' } }));
    expectDocumented(settings, 422, await put({ json: [] }));
  });

  it('answers 500 and 503 as documented', async () => {
    await gateway.database.em.fork().execute('drop table private_key');
    const answer = await gateway.rest('GET', '/auth/private-key', { token });
    expectDocumented('privateKeyStatus', 500, answer);
    await setReadOnly(gateway.database, true);
    const settings = await gateway.rest('PUT', '/automation/settings', { token, json: {} });
    expectDocumented('updateAutomationSettings', 503, settings);
  });
});
