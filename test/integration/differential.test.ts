import fc from 'fast-check';
import { getNamedType } from 'graphql';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { signedIn } from '../../src/auth/scopes.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { documentPlans } from '../support/plans.ts';
import {
  callGraphql,
  callRest,
  graphqlOutcome,
  inputsOf,
  type OperationName,
  operations,
  pathArgument,
  restOutcome,
  type SideOutcome,
  type Step,
  scopesOf,
  withoutSecrets,
} from '../support/two-sides.ts';
import { createConfigured, createDeliveries } from '../support/webhook-sender.ts';

const withoutWords = ({ code, challenge, issues }: SideOutcome) => ({
  code,
  challenge,
  places: issues?.map(({ path }) => path),
});

const withoutWebhookSecrets = (outcome: SideOutcome): SideOutcome =>
  JSON.parse(JSON.stringify(outcome).replaceAll(/whsec_[\w+/]{43}=/g, '<secret>'));

const tables = [
  ...['account', 'api_key', 'api_key_secret', 'private_key', 'automation_settings', 'audit_event'],
  ...['api_key_quota', 'webhook_endpoint', 'webhook_delivery'],
];

/** What is random in a row. */
const random = new Set(['digest', 'sealed_key', 'sealed_secrets', 'request', 'generation']);

/** The secrets of keys 1 and 3. */
const secrets = { alice: createApiKeySecret(), bob: createApiKeySecret() };
const startOfTime = Date.parse('2026-03-01T12:00:00.000Z');

/** Empties a database and puts into it what each run begins with: keys 1 and 2 are alice's, 3 is bob's. */
const reset = async (gateway: TestGateway) => {
  expect(await gateway.reset()).toBe(true);
  const alice = await gateway.createAccount('alice');
  const bob = await gateway.createAccount('bob');
  await gateway.createApiKey(alice, { isDefault: true });
  await gateway.createApiKey(alice, { name: null, encryptedKey: 'a..b.c.d', encryptionVersion: 3 });
  await gateway.createApiKey(bob, { isActive: false });
  await gateway.addSecret(1, secrets.alice);
  await gateway.addSecret(3, secrets.bob);
  await gateway.createPrivateKey(alice);
  await gateway.createUses([
    [1, '2026-03-01T10:00:00Z', 'valid', 3],
    [1, '2026-03-01T11:00:00Z', 'expired', 1],
    [2, '2026-02-28T23:00:00Z', 'valid', 5],
    [3, '2026-03-01T11:00:00Z', 'inactive', 7],
  ]);
  await createConfigured({ gateway }, 'https://configured.example.com/');
  await createDeliveries({ gateway }, 1, ['delivered', 'parked', 'waiting']);
};

const rowsOf = async (gateway: TestGateway) => {
  // What is done in the background is done, and uses are written: a slow run would have it half done, or not yet.
  await gateway.erasures.run();
  await gateway.keyUsage.write();
  const stored = await Promise.all(tables.map((table) => gateway.rows(table)));
  return stored.map((rows) =>
    rows.map((row) =>
      withoutSecrets(Object.fromEntries(Object.entries(row).filter(([name]) => !random.has(name)))),
    ),
  );
};

const edges = [
  ...['-2147483649', '-2147483648', '-1', '0', '59', '60', '86400', '86401', '2147483647', '2147483648'],
  ...['99999999999999999999', '1e400', '-1e400', '3600.0', '3600.5', '36e2', '-0', 'null'],
  ...['true', 'false', '1', '"3600"', '"yes"', '"true"', '""', '"\\u0000"', '[]', '[60]', '{}'],
];
const anyJson = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...edges) }, fc.json({ maxDepth: 2 }));
const duration = fc.oneof(fc.integer({ min: 60, max: 86_400 }).map(String), fc.constant('null'), anyJson);
const flag = fc.oneof(fc.constantFrom('true', 'false', 'null'), anyJson);

const integerText = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('1', '2', '1', '2', '3', '4') },
  fc.constantFrom('99', '0', '-1', '2147483647', '2147483648', '-2147483648', '-2147483649'),
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 400n), max: 10n ** 400n }).map(String),
);
const word = fc
  .oneof(
    fc.constantFrom(
      'abc',
      '0x10',
      '1e3',
      '01',
      ' ',
      '-0',
      '1.5',
      '+1',
      '1\u0000',
      '١',
      'null',
      'true',
      'a/b',
    ),
    fc.string({ minLength: 1, unit: 'grapheme' }),
  )
  .filter((text) => !/^(-?[1-9]\d*|0|\.\.?)$/.test(text));

/** Members of an input, each of which may be left out: GraphQL's name → JSON text. */
type Members = Readonly<Record<string, fc.Arbitrary<string>>>;

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const anyName = fc.oneof(
  oneOf('null', '"Desk"', '" Desk\\t"', '""', '"  "', '"\\ud800"', `"${'a'.repeat(101)}"`),
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  anyJson,
);
const anyMoment = fc.oneof(
  oneOf('null', '"2027-01-31T12:00:00Z"', '"2026-03-01T12:00:05.5+00:00"', '"2026-01-01T00:00:00Z"'),
  oneOf('"2027-02-30T12:00:00Z"', '"2027-01-31T12:00:00"', '"tomorrow"'),
  anyJson,
);
const anyGrace = fc.oneof(oneOf('0', '1', '60', '604800', '604801', '-1', 'null'), anyJson);
const anyReason = fc.oneof(oneOf('"Abuse"', '" Abuse "', '""', '"  "', `"${'a'.repeat(501)}"`), anyName);
const anyPrivateKey = fc.oneof(
  oneOf(`"${'ab'.repeat(32)}"`, `"0x${'1F'.repeat(32)}"`, `"${'f'.repeat(64)}"`),
  anyJson,
);
const anySecret = fc.oneof(
  oneOf(...Object.values(secrets).map((text) => `"${text}"`), '"sk-"', '"\\u0000"'),
  anyJson,
);
const anyUrl = fc.oneof(
  oneOf('"https://hooks.example.com/a"', '"https://hooks.example.com/b"', '"http://127.0.0.1:1/"'),
  oneOf('"https://10.0.0.1/"', '"http://hooks.example.com/"', '"https://a:b@hooks.example.com/"', '""'),
  anyJson,
);
const anyEvents = fc.oneof(
  oneOf('null', '["*"]', '["api_key.*", "quota.exhausted"]', '[]', '["api_key"]', '["*", "*"]', '[7]', '{}'),
);
// In a query string all is text: what is no number there, is none in JSON for another reason.
const pages = {
  first: oneOf('0', '1', '2', '100', '101', '-1'),
  after: oneOf('"MQ"', '"Mg"', '"Mw"', '"x"', '""'),
};

const text = (value: unknown) => JSON.stringify(value);
const tenOf = (count: number) => Array.from({ length: count }, (_, index) => `documents.d${index}`);
// GraphQL takes one item for a list of it, and REST does not: nothing here is a text.
const anyPermissions = fc.oneof(
  oneOf('null', '[]', '["documents.read"]', '["documents.*", "*", "a:b-c_d"]', text(tenOf(50))),
  oneOf(text(tenOf(51)), '["Documents"]', '["a", "a"]', '[""]', `["${'a'.repeat(101)}"]`, '[null]', '[7]'),
  oneOf('[["a"]]', '{}', '7', 'true', '["\\u0000"]', '["\\ud800"]', '["documents.read "]'),
);
const anyMetadata = fc.oneof(
  oneOf('null', '{}', '{"plan":"pro","seats":{"used_up":3,"leftOver":[1,null]}}', '{"__proto__":{"a":1}}'),
  oneOf(text({ a: 'x'.repeat(2040) }), text({ a: 'x'.repeat(2041) }), '{"a":"\\u0000"}', '{"\\ud800":1}'),
  oneOf(text(Object.fromEntries(tenOf(50).map((name) => [name, 1])))),
  oneOf(text(Object.fromEntries(tenOf(51).map((name) => [name, 1])))),
  oneOf(
    '[]',
    '7',
    '"{}"',
    `{"a":${'['.repeat(31)}${']'.repeat(31)}}`,
    `{"a":${'['.repeat(32)}${']'.repeat(32)}}`,
  ),
  fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 })).map(text),
);
const anyAddresses = fc.oneof(
  oneOf(
    'null',
    '[]',
    '["192.0.2.1"]',
    '["10.0.0.0/8", "2001:db8::/32", "::ffff:10.0.0.0/104"]',
    '["10.0.0.17/8"]',
  ),
  oneOf(
    '["10.0.0.0/33"]',
    '["10.0.0"]',
    '["loopback"]',
    '["fe80::1%eth0"]',
    '["10.0.0.1/8/8"]',
    '["::1", "::1"]',
  ),
  oneOf('[null]', '[7]', '{}', '7', '["\\u0000"]', '[""]', text(tenOf(51))),
);
const aCount = oneOf(
  '-1',
  '0',
  '1',
  '60',
  '86400',
  '86401',
  '1000000',
  '1000001',
  '2147483648',
  '1.5',
  '"1"',
  'null',
);
const objectOf = (members: Members) =>
  (fc.record({ ...members }, { requiredKeys: [] }) as fc.Arbitrary<Step['input']>).map(
    (given) =>
      `{${Object.entries(given)
        .map(([name, value]) => `"${name}":${value}`)
        .join(',')}}`,
  );
const anyRateLimit = fc.oneof(
  oneOf('null', '{"limit":100,"windowSeconds":60}', '{"limit":1,"windowSeconds":86400}', '[]', '7', '"x"'),
  objectOf({ limit: aCount, windowSeconds: aCount, nobody: aCount }),
);
const anyQuota = fc.oneof(
  oneOf(
    'null',
    '{"limit":10,"refill":"DAILY"}',
    '{"limit":10,"refill":"MONTHLY"}',
    '{"limit":0,"refill":"NEVER"}',
  ),
  objectOf({
    limit: aCount,
    refill: oneOf('"NEVER"', '"MONTHLY"', '"HOURLY"', '""', '7', 'null'),
    nobody: aCount,
  }),
);

// The same words on both sides.
const usage = {
  by: oneOf('"HOUR"', '"DAY"', '"WEEK"', '""'),
  from: oneOf('"2026-02-28T00:00:00Z"', '"2026-03-01T11:00:00+01:00"', '"2025-01-01T00:00:00Z"', '"x"'),
  to: oneOf('"2026-03-01T12:00:00Z"', '"2026-03-02T00:00:00.5Z"', '"2026-03-01T12:00:00"'),
};

const anyOverrides = fc.oneof(
  oneOf(
    'null',
    '{}',
    '{"permissions":null,"quota":{"limit":10,"refill":"daily"}}',
    '{"quota":{"limit":10,"refill":"DAILY"}}',
    '{"planOf":1}',
    '7',
    '[]',
    '"x"',
  ),
  objectOf({
    permissions: anyPermissions,
    max_active_keys: oneOf('0', '1', 'null'),
    metadata: anyMetadata,
    quota: objectOf({ limit: aCount, refill: oneOf('"never"', '"monthly"', '"NEVER"', '7') }),
  }),
);

const anyHeaders = oneOf(
  ...['null', '{}', '{"Authorization":"Bearer a"}', '{"X-A":"a","X-B":"b"}', '{"webhookId":"a"}'],
  ...['{"Host":"a"}', '{"X-A":"a","x-a":"a"}', '{"X-A":1}', '{"X-A":""}', '{"x_a":"a\\n"}', '[]', '"x"', '7'],
);

/** Values of an argument, by its name. */
const byName: Members = {
  ...{ overrides: anyOverrides, plan: oneOf('"pro"', '"free"', '"gold"', '""', '7', 'null') },
  ...{ permissions: anyPermissions, metadata: anyMetadata, allowedAddresses: anyAddresses },
  ...{ rateLimit: anyRateLimit, quota: anyQuota },
  ...{ name: anyName, expiresAt: anyMoment, graceSeconds: anyGrace, privateKey: anyPrivateKey },
  ...{ reason: anyReason, keyPrefix: fc.oneof(oneOf('"sk-a1b2c3"', '"sk-"', 'null'), anyName) },
  ...{ url: anyUrl, events: anyEvents, headers: anyHeaders },
  ...{ key: anySecret, sessionDuration: duration, ...pages, ...usage },
};

/** Values of any other argument, by its type: in a body, and in a query string. */
const byType: Members = { Boolean: flag, Int: duration, String: anyName, DateTime: anyMoment };
const byNameInQuery: Members = {
  ...pages,
  ...usage,
  filter: oneOf('"al"', '"alice"', '"%"', '"_"', '""', `"${'a'.repeat(256)}"`),
  reason: oneOf('"Abuse"', '" Abuse "', '""', '"  "', `"${'a'.repeat(501)}"`),
  state: oneOf('"WAITING"', '"PARKED"', '"LOST"', '""'),
};
const byTypeInQuery: Members = {
  Boolean: oneOf('true', 'false'),
  Int: oneOf('0', '1', '-1', '2147483647'),
  String: oneOf('"a"', '""'),
  DateTime: oneOf('"2027-01-31T12:00:00Z"'),
};

/** Members that an operation does not know and does not look at. */
const unknown: Partial<Record<OperationName, Members>> = { updateAutomationSettings: { userId: anyJson } };

/** Draws what an operation is given beside its path. */
const membersOf = (operation: OperationName): Members => {
  const known = inputsOf(operation).filter((input) => input.in !== 'path');
  const drawn = known.map(({ name, type, in: place }) => {
    const values =
      place === 'query'
        ? (byNameInQuery[name] ?? byTypeInQuery[`${getNamedType(type)}`])
        : (byName[name] ?? byType[`${getNamedType(type)}`]);
    if (!values) throw new Error(`${operation}: no values for ${name}, here in differential.test.ts`);
    return [name, values] as const;
  });
  return { ...Object.fromEntries(drawn), ...unknown[operation] };
};

const idText = fc.oneof(
  { weight: 3, arbitrary: integerText.map((text) => ({ id: text, pathText: text, comparesWords: true })) },
  word.map((text) => ({ id: JSON.stringify(text), pathText: text, comparesWords: false })),
);

const stepOf = (operation: OperationName): fc.Arbitrary<Step> => {
  const members = fc.record({ ...membersOf(operation) }, { requiredKeys: [] }) as fc.Arbitrary<Step['input']>;
  const inPath = pathArgument(operation);
  if (inPath === undefined) return members.map((input) => ({ operation, input, comparesWords: true }));
  return fc.tuple(idText, members).map(([{ id, ...words }, input]) => ({
    operation,
    input: { [inPath]: id, ...input },
    ...words,
  }));
};

const caller = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('alice', 'alice', 'bob', 'somebody new') },
  fc.constantFrom('alice without admin', 'alice with openid', 'nobody', 'provider'),
);

/** Whom an operation is for that is not for people. */
const specialistOf = (operation: OperationName): string | undefined => {
  const [scope = ''] = scopesOf(operation);
  return new Map<string, string>([
    ['keys.verify', 'provider'],
    ['keyward.admin', 'operator'],
    ['accounts.entitle', 'billing'],
  ]).get(scope);
};

/** Whoever calls; what is for somebody special is mostly called by them. */
const callerOf = (operation: OperationName) => {
  const specialist = specialistOf(operation);
  return specialist ? fc.oneof({ weight: 3, arbitrary: fc.constant(specialist) }, caller) : caller;
};

const call = fc
  .constantFrom(...operations)
  .chain((operation) => fc.tuple(stepOf(operation), callerOf(operation)));

/** A call that is not left to chance: `by` alice, unless told otherwise. */
const given = (operation: OperationName, input: Step['input'] = {}, by = 'alice'): [Step, string] => {
  const id = input[pathArgument(operation) ?? ''];
  const pathText = id?.replaceAll('"', '');
  const comparesWords = id === undefined || /^\d+$/.test(id);
  return [{ operation, input, comparesWords, ...(pathText !== undefined && { pathText }) }, by];
};

/** What operators do, to alice and in the end to bob: who is blocked gets nothing, and who is erased begins anew. */
const forOperators: [Step, string][] = [
  given('accounts', { filter: '"al"' }, 'operator'),
  given('account', { id: '2' }, 'operator'),
  given('accountApiKeys', { id: '1', first: '2' }, 'operator'),
  given('accountAuditEvents', { id: '1', first: '2' }, 'operator'),
  given(
    'accountUsage',
    { id: '1', from: '"2026-01-01T00:00:00Z"', to: '"2026-01-02T00:00:00Z"' },
    'operator',
  ),
  given(
    'accountApiKeyUsage',
    { keyId: '1', from: '"2026-01-01T00:00:00Z"', to: '"2026-01-02T00:00:00Z"' },
    'operator',
  ),
  given('accountAuditEvents', { id: '99' }, 'operator'),
  given(
    'accountUsage',
    { id: '99', from: '"2026-01-01T00:00:00Z"', to: '"2026-01-02T00:00:00Z"' },
    'operator',
  ),
  given(
    'accountApiKeyUsage',
    { keyId: '99', from: '"2026-01-01T00:00:00Z"', to: '"2026-01-02T00:00:00Z"' },
    'operator',
  ),
  given('findApiKey', { keyPrefix: '"sk-a1b2c3"' }, 'operator'),
  given('findApiKey', { key: `"${secrets.bob}"` }, 'operator'),
  given('deactivateAccountApiKey', { keyId: '1', reason: '" Found in a repository "' }, 'operator'),
  given('blockAccount', { id: '1', reason: '"Abuse"' }, 'operator'),
  given('apiKeys'),
  given('updateAutomationSettings', { isEnabled: 'false' }),
  given('accounts', { isBlocked: 'true' }, 'operator'),
  given('unblockAccount', { id: '1', reason: '"It was a mistake"' }, 'operator'),
  given('auditEvents'),
  given('eraseAccount', { id: '2' }, 'operator'),
  given('blockAccount', { id: '2', reason: '"Abuse"' }, 'operator'),
  given('apiKeys', {}, 'bob'),
  given('createApiKey', {}, 'bob'),
  given('auditEvents', {}, 'operator'),
  given('account', { id: '99' }, 'operator'),
  given('accounts', { first: '101' }, 'operator'),
  given('account', { id: '"a"' }, 'operator'),
  given('accountApiKeys', { id: '1', after: '"x"' }, 'operator'),
  given('accountAuditEvents', { id: '1', after: '"x"' }, 'operator'),
  given('accountUsage', { id: '1', by: '"WEEK"' }, 'operator'),
  given('accountApiKeyUsage', { keyId: '1', by: '"WEEK"' }, 'operator'),
  given('findApiKey', {}, 'operator'),
  given('deactivateAccountApiKey', { keyId: '1' }, 'operator'),
  given('blockAccount', { id: '1', reason: '" "' }, 'operator'),
  given('unblockAccount', { id: '1' }, 'operator'),
  given('eraseAccount', { id: '"a"' }, 'operator'),
];

const hooks = '"https://hooks.example.com/keyward"';

/** What operators do to webhook endpoints: 1 is one of the configuration, 2 is added. */
const forWebhooks: [Step, string][] = [
  given('createWebhookEndpoint', { url: hooks, events: '["api_key.*"]' }, 'operator'),
  given('createWebhookEndpoint', { url: hooks }, 'operator'),
  given('webhookEndpoints', { first: '1' }, 'operator'),
  given('updateWebhookEndpoint', { endpointId: '1', isPaused: 'true' }, 'operator'),
  given('updateWebhookEndpoint', { endpointId: '1', events: '["quota.*"]' }, 'operator'),
  given('updateWebhookEndpoint', { endpointId: '2', events: '["quota.*"]' }, 'operator'),
  given('rotateWebhookSecret', { endpointId: '2', graceSeconds: '60' }, 'operator'),
  given('rotateWebhookSecret', { endpointId: '1' }, 'operator'),
  given('webhookEndpoint', { endpointId: '2' }, 'operator'),
  given('webhookDeliveries', { endpointId: '1', state: '"PARKED"' }, 'operator'),
  given('resendWebhookDelivery', { deliveryId: '2' }, 'operator'),
  given('webhookDeliveries', { endpointId: '1', first: '2' }, 'operator'),
  given('removeWebhookEndpoint', { endpointId: '2' }, 'operator'),
  given('removeWebhookEndpoint', { endpointId: '1' }, 'operator'),
  given('removeWebhookEndpoint', { endpointId: '99' }, 'operator'),
  given('createWebhookEndpoint', { url: '"https://10.0.0.1/"' }, 'operator'),
  given('updateWebhookEndpoint', { endpointId: '2', events: '[]' }, 'operator'),
  given('rotateWebhookSecret', { endpointId: '2', graceSeconds: '-1' }, 'operator'),
  given('webhookEndpoint', { endpointId: '"a"' }, 'operator'),
  given('webhookEndpoints', { after: '"x"' }, 'operator'),
  given('webhookDeliveries', { endpointId: '1', state: '"LOST"' }, 'operator'),
  given('resendWebhookDelivery', { deliveryId: '"a"' }, 'operator'),
  given('removeWebhookEndpoint', { endpointId: '"a"' }, 'operator'),
];

const reason = '" Invoice 1042 "';

/** What is granted, by the billing server and by operators. */
const forEntitlements: [Step, string][] = [
  given('setEntitlement', { userId: '1', plan: '"pro"', overrides: '{"quota":null}' }, 'billing'),
  given('setEntitlement', { userId: '1', plan: 'null', reason }, 'operator'),
  given('setEntitlement', { userId: '1' }, 'operator'),
  given('setEntitlement', { userId: '1', plan: '"gold"' }, 'billing'),
  given('setEntitlement', { userId: '1', overrides: '{"quota":{"limit":-1}}' }, 'billing'),
  given('setEntitlement', { userId: '1', overrides: '{"quotas":1}' }, 'billing'),
  given('setEntitlement', { userId: '99', plan: 'null' }, 'billing'),
  given('entitlement', { userId: '1' }, 'billing'),
  given('entitlement', { userId: '1' }, 'operator'),
  given('entitlement', { userId: '"a"' }, 'billing'),
  given(
    'setEntitlementBySubject',
    { issuer: '"https://id.example.com"', subject: '"zoe"', plan: '"pro"' },
    'billing',
  ),
  given(
    'setEntitlementBySubject',
    { issuer: '"https://id.example.com"', subject: '"zoe"', plan: '"free"' },
    'billing',
  ),
  given('setEntitlementBySubject', { issuer: '""', subject: '"zoe"' }, 'billing'),
  given('auditEvents'),
];

/** Operations that depend on what others did before: they do what they are for, and refuse an input. The other refusals. */
const story: [Step, string][] = [
  given('verifyApiKey', { key: `"${secrets.alice}"` }, 'provider'),
  given('rotateApiKey', { keyId: '1', graceSeconds: '60' }),
  given('setDefaultApiKey', { keyId: '2' }),
  given('updateApiKey', { keyId: '1', name: '" Desk"' }),
  given('updateApiKey', {
    keyId: '1',
    permissions: '["documents.*"]',
    metadata: '{"plan_of":{"theirOwn":true}}',
    allowedAddresses: '["192.0.2.0/24"]',
    rateLimit: '{"limit":100,"windowSeconds":60}',
    quota: '{"limit":10,"refill":"MONTHLY"}',
    expiresAt: '"2027-01-31T12:00:00Z"',
  }),
  given('apiKey', { keyId: '1' }),
  given('createApiKey', { name: 'null', expiresAt: '"2027-01-31T12:00:00Z"' }),
  given('apiKeys', { first: '1', isActive: 'true' }),
  given('apiKeyUsage', { keyId: '1', by: '"DAY"' }),
  given('apiKeysUsage', { from: '"2026-02-28T00:00:00Z"', to: '"2026-03-01T12:00:00Z"' }),
  given('deactivateApiKey', { keyId: '2' }),
  given('defaultApiKey'),
  given('registerPrivateKey', { privateKey: `"${'ab'.repeat(32)}"` }),
  given('privateKeyStatus'),
  given('removePrivateKey'),
  given('updateAutomationSettings', { isEnabled: 'true', sessionDuration: '60' }),
  given('automationSettings'),
  given('auditEvents', { first: '3' }),
  given('setDefaultApiKey', { keyId: '2' }),
  given('rotateApiKey', { keyId: '2' }),
  given('apiKey', { keyId: '3' }),
  given('deactivateApiKey', { keyId: '1' }, 'alice without admin'),
  given('defaultApiKey', {}, 'nobody'),
  given('verifyApiKey', { key: '7' }, 'provider'),
  given('rotateApiKey', { keyId: '1', graceSeconds: '-1' }),
  given('setDefaultApiKey', { keyId: '"a"' }),
  given('updateApiKey', { keyId: '1', permissions: '["Documents"]' }),
  given('updateApiKey', { keyId: '1', quota: '{"limit":-1,"refill":"MONTHLY"}' }),
  given('apiKey', { keyId: '"a"' }),
  given('apiKeyUsage', { keyId: '1', by: '"WEEK"' }),
  given('apiKeyUsage', { keyId: '3' }),
  given('apiKeysUsage', { from: '"2025-01-01T00:00:00Z"' }),
  given('createApiKey', { expiresAt: '"2026-01-31T12:00:00Z"' }),
  given('apiKeys', { after: '"x"' }),
  given('deactivateApiKey', { keyId: '"a"' }),
  given('registerPrivateKey', { privateKey: '""' }),
  given('updateAutomationSettings', { sessionDuration: '59' }),
  given('auditEvents', { first: '101' }),
  ...forEntitlements,
  ...forOperators,
  ...forWebhooks,
];

/** Any other operation is called with its published examples, and, where it has an input, with one that is refused. */
const examplesOf = (operation: OperationName): [Step, string][] => {
  const by = specialistOf(operation) ?? 'alice';
  const inputs = inputsOf(operation);
  const good = inputs.map(({ name, extensions }) => [name, JSON.stringify(extensions['example'])]);
  const bad = inputs.map(({ name }) => [name, '"\\u0000"']);
  const refused = bad.length === 0 ? [] : [given(operation, Object.fromEntries(bad), by)];
  return [given(operation, Object.fromEntries(good), by), ...refused];
};

const inStory = new Set(story.map(([{ operation }]) => operation));
const examples = [...story, ...operations.filter((operation) => !inStory.has(operation)).flatMap(examplesOf)];

describe('the same calls through GraphQL and through REST', () => {
  let issuer: TestIssuer;
  let graphql: TestGateway;
  let rest: TestGateway;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    // The limits' windows go by `performance`, and end at the same time on both sides.
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: startOfTime });
    issuer = await startIssuer();
    graphql = await createTestGateway(issuer, { plans: documentPlans });
    rest = await createTestGateway(issuer, { plans: documentPlans });
    for (const sub of ['alice', 'bob', 'somebody new']) tokens.set(sub, await issuer.sign({ sub }));
    tokens.set('alice without admin', await issuer.sign({ scope: signedIn.join(' ') }));
    tokens.set('provider', await issuer.sign({ sub: 'provider', scope: 'keys.verify' }));
    tokens.set('operator', await issuer.sign({ sub: 'operator', scope: 'keyward.admin' }));
    tokens.set('billing', await issuer.sign({ sub: 'billing', scope: 'accounts.entitle' }));
    tokens.set('alice with openid', await issuer.sign({ scope: 'openid' }));
  });
  afterAll(async () => {
    await graphql[Symbol.asyncDispose]();
    await rest[Symbol.asyncDispose]();
    await issuer[Symbol.asyncDispose]();
    vi.useRealTimers();
  });

  const run = async (call: Step, who: string): Promise<string> => {
    const token = tokens.get(who);
    const ofGraphql = withoutWebhookSecrets(graphqlOutcome(await callGraphql(graphql, call, token), call));
    const ofRest = withoutWebhookSecrets(restOutcome(await callRest(rest, call, token), call));
    if (call.comparesWords) expect(ofRest).toEqual(ofGraphql);
    else expect(withoutWords(ofRest)).toEqual(withoutWords(ofGraphql));
    return ofRest.code;
  };

  it('come to the same, and leave the same rows', async () => {
    const seen = new Set<string>();
    const property = fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 8 }), async (calls) => {
      vi.setSystemTime(startOfTime);
      await reset(graphql);
      await reset(rest);
      for (const [call, who] of calls) {
        // Each call has a second of its own, so that a date that should have stayed shows.
        vi.setSystemTime(Date.now() + 1000);
        const code = await run(call, who);
        seen.add(code).add(`${call.operation} ${code}`);
      }
      expect(await rowsOf(rest)).toEqual(await rowsOf(graphql));
    });
    await fc.assert(property, {
      numRuns: inject('postgresUrl') === undefined ? 100 : 25,
      examples: [[examples]],
    });
    const withInput = operations.filter((operation) => inputsOf(operation).length > 0);
    expect([...seen]).toEqual(
      expect.arrayContaining([
        ...['OK', 'NOT_FOUND', 'CONFLICT', 'BAD_USER_INPUT', 'FORBIDDEN', 'UNAUTHENTICATED'],
        ...operations.map((operation) => `${operation} OK`),
        ...withInput.map((operation) => `${operation} BAD_USER_INPUT`),
      ]),
    );
  }, 60_000);

  it('start from equal databases, which the calls change', async () => {
    vi.setSystemTime(startOfTime);
    await reset(graphql);
    await reset(rest);
    const before = await rowsOf(rest);
    expect(before).toEqual(await rowsOf(graphql));
    const words = { comparesWords: true };
    await run({ operation: 'deactivateApiKey', input: { keyId: '1' }, pathText: '1', ...words }, 'alice');
    const input = { isEnabled: 'true', sessionDuration: '60' };
    await run({ operation: 'updateAutomationSettings', input, ...words }, 'somebody new');
    await run({ operation: 'createApiKey', input: {}, ...words }, 'somebody new');
    const after = await rowsOf(rest);
    expect(after.map((rows) => rows.length)).toEqual([4, 4, 3, 1, 1, 4, 0, 1, 3]);
    expect(after).toEqual(await rowsOf(graphql));
  });
});
