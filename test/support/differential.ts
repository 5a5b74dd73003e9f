import { afterAll, beforeAll, expect, vi } from 'vitest';
import { createApiKeySecret, isApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { signedIn } from '../../src/auth/scopes.ts';
import { createTestGateway, type TestGateway } from './gateway.ts';
import { startIssuer, type TestIssuer } from './issuer.ts';
import { documentPlans } from './plans.ts';
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
} from './two-sides.ts';
import { createConfigured, createDeliveries } from './webhook-sender.ts';

const withoutWords = ({ code, challenge, issues }: SideOutcome) => ({
  code,
  challenge,
  places: issues?.map(({ path }) => path),
});

/** The same value without what is random in it: secrets, their prefixes, and the ids of requests. */
const withoutSecrets = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null), (name, inner) => {
    if (name === 'requestId') return undefined;
    if (name === 'subject' && `${inner}`.startsWith('erased:')) return '<erased>';
    if (name === 'key' && isApiKeySecret(inner)) return '<secret>';
    if (typeof inner !== 'string') return inner;
    // The audit trail has prefixes too.
    const text = inner.replaceAll(/\bsk-(?!a1b2c3)[a-z0-9]{6}\b/g, '<prefix>');
    return text.replaceAll(/whsec_[\w+/]{43}=/g, '<secret>');
  });

const tables = [
  ...['account', 'api_key', 'api_key_secret', 'private_key', 'automation_settings', 'audit_event'],
  ...['api_key_quota', 'webhook_endpoint', 'webhook_delivery'],
];

/** What is random in a row. */
const random = new Set(['digest', 'sealed_key', 'sealed_secrets', 'request', 'generation']);

/** The secrets of keys 1 and 3. */
export const secrets = { alice: createApiKeySecret(), bob: createApiKeySecret() };
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

/** Whom an operation is for that is not for people. */
export const specialistOf = (operation: OperationName): string | undefined => {
  const [scope = ''] = scopesOf(operation);
  return new Map<string, string>([
    ['keys.verify', 'provider'],
    ['keyward.admin', 'operator'],
    ['keyward.audit', 'auditor'],
    ['accounts.entitle', 'billing'],
    ['accounts.act', 'actor'],
    ['keys.import', 'mover'],
  ]).get(scope);
};

/** A call that is not left to chance: `by` alice, unless told otherwise. */
export const given = (operation: OperationName, input: Step['input'] = {}, by = 'alice'): [Step, string] => {
  const id = input[pathArgument(operation) ?? ''];
  const pathText = id?.replaceAll('"', '');
  const comparesWords = id === undefined || /^\d+$/.test(id);
  return [{ operation, input, comparesWords, ...(pathText !== undefined && { pathText }) }, by];
};

const range = { from: '"2026-01-01T00:00:00Z"', to: '"2026-01-02T00:00:00Z"' };

/** What operators do, to alice and in the end to bob: who is blocked gets nothing, and who is erased begins anew. */
const forOperators: [Step, string][] = [
  given('accounts', { filter: '"al"' }, 'operator'),
  given('account', { id: '2' }, 'operator'),
  given('accountApiKeys', { id: '1', first: '2' }, 'operator'),
  given('accountApiKey', { id: '1', keyId: '1' }, 'operator'),
  given('accountApiKey', { id: '2', keyId: '1' }, 'operator'),
  given('accountAuditEvents', { id: '1', first: '2' }, 'operator'),
  given('accountUsage', { id: '1', ...range }, 'operator'),
  given('accountApiKeyUsage', { keyId: '1', ...range }, 'operator'),
  given('accountAuditEvents', { id: '99' }, 'operator'),
  given('accountUsage', { id: '99', ...range }, 'operator'),
  given('accountApiKeyUsage', { keyId: '99', ...range }, 'operator'),
  given('findApiKey', { keyPrefix: '"sk-a1b2c3"' }, 'operator'),
  given('findApiKey', { key: `"${secrets.bob}"` }, 'operator'),
  given('pauseAccountApiKey', { keyId: '1', reason: '" Found in a repository "' }, 'operator'),
  given('resumeApiKey', { keyId: '1' }),
  given('findApiKey', { keyPrefix: '"sk-a1b2c3"' }, 'operator'),
  given('accountApiKeys', { id: '1' }, 'operator'),
  given('resumeAccountApiKey', { keyId: '1', reason: '"It was rotated"' }, 'operator'),
  given('pauseAccountApiKey', { keyId: '99', reason: '"x"' }, 'operator'),
  given('pauseAccountApiKey', { keyId: '1' }, 'operator'),
  given('resumeAccountApiKey', { keyId: '1', reason: '" "' }, 'operator'),
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
  given('accountApiKey', { id: '"a"', keyId: '1' }, 'operator'),
  given('accountAuditEvents', { id: '1', after: '"x"' }, 'operator'),
  given('accountUsage', { id: '1', by: '"WEEK"' }, 'operator'),
  given('accountApiKeyUsage', { keyId: '1', by: '"WEEK"' }, 'operator'),
  given('auditTrail', {}, 'auditor'),
  given('auditTrail', { first: '2', action: '"account-blocked,account-erased"' }, 'operator'),
  given('auditTrail', { userId: '1', actor: '"operator"', order: '"OLDEST"' }, 'auditor'),
  given('auditTrail', { keyId: '1', order: '"OLDEST"', first: '3' }, 'auditor'),
  given('auditTrail', { actor: '"nobody"' }, 'auditor'),
  given('auditTrail', { action: '"a,,b"' }, 'auditor'),
  given('auditTrail', { order: '"RANDOM"' }, 'auditor'),
  given('auditTrail', range, 'alice'),
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
  given('webhookDelivery', { endpointId: '1', deliveryId: '2' }, 'operator'),
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
  given('webhookDelivery', { endpointId: '1', deliveryId: '99' }, 'operator'),
  given('webhookDelivery', { endpointId: '"a"', deliveryId: '1' }, 'operator'),
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

const moved = {
  issuer: '"https://id.example.com"',
  subject: '"zoe"',
  key: `"acme_live_${'k'.repeat(40)}"`,
  keyPrefix: '"acme_live_"',
};

/** Keys of another service, by the provider's server. */
const forImports: [Step, string][] = [
  given(
    'importApiKey',
    { ...moved, permissions: '["documents.*"]', quota: '{"limit":5,"refill":"DAILY"}' },
    'mover',
  ),
  given('importApiKey', moved, 'mover'),
  given('importApiKey', { ...moved, subject: '"yan"' }, 'mover'),
  given('importApiKey', { ...moved, keyPrefix: '"other_"' }, 'mover'),
  given('importApiKey', { ...moved, key: '"acme_live_1"' }, 'mover'),
  given('importApiKey', { ...moved, createdAt: '"2999-01-01T00:00:00Z"' }, 'mover'),
  given('importApiKey', moved, 'provider'),
  given('importApiKey', moved),
];

/** Operations that depend on what others did before: they do what they are for, and refuse an input. The other refusals. */
const story: [Step, string][] = [
  given('verifyApiKey', { key: `"${secrets.alice}"` }, 'provider'),
  given('rotateApiKey', { keyId: '1', graceSeconds: '60' }),
  given('apiKeySecrets', { keyId: '1' }),
  given('endApiKeySecret', { keyId: '1', prefix: '"sk-a1b2c3"' }),
  given('endApiKeySecret', { keyId: '1', prefix: '"sk-a1b2c3"' }),
  given('endApiKeySecret', { keyId: '1', prefix: '"sk-zzzzzz"' }),
  given('endApiKeySecret', { keyId: '3', prefix: '"sk-a1b2c3"' }),
  given('apiKeySecrets', { keyId: '3' }),
  given('apiKeySecrets', { keyId: '2' }),
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
  given('pauseApiKey', { keyId: '1', reason: '" Is it still used? "' }),
  given('pauseApiKey', { keyId: '1' }),
  given('apiKey', { keyId: '1' }),
  given('setDefaultApiKey', { keyId: '1' }),
  given('defaultApiKey'),
  given('apiKeys', { first: '2', isActive: 'true' }),
  given('resumeApiKey', { keyId: '1' }),
  given('resumeApiKey', { keyId: '1' }),
  given('resumeApiKey', { keyId: '3' }),
  given('resumeApiKey', { keyId: '"a"' }),
  given('pauseApiKey', { keyId: '1', reason: '""' }),
  given('pauseApiKey', { keyId: '1' }, 'alice without admin'),
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
  given('auditEvents', { keyId: '1' }),
  given('auditEvents', { action: '"api-key-rotated"' }),
  given('auditEvents', { keyId: '1', action: '"api-key-rotated"', first: '1' }),
  given('setDefaultApiKey', { keyId: '2' }),
  given('rotateApiKey', { keyId: '2' }),
  given('pauseApiKey', { keyId: '2' }),
  given('apiKey', { keyId: '3' }),
  given('deactivateApiKey', { keyId: '1' }, 'alice without admin'),
  given('defaultApiKey', {}, 'nobody'),
  given('verifyApiKey', { key: '7' }, 'provider'),
  given('rotateApiKey', { keyId: '1', graceSeconds: '-1' }),
  given('setDefaultApiKey', { keyId: '"a"' }),
  given('updateApiKey', { keyId: '1', permissions: '["Documents"]' }),
  given('updateApiKey', { keyId: '1', quota: '{"limit":-1,"refill":"MONTHLY"}' }),
  given('apiKey', { keyId: '"a"' }),
  given('apiKeySecrets', { keyId: '"a"' }),
  given('endApiKeySecret', { keyId: '"a"', prefix: '"sk-a1b2c3"' }),
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
  ...forImports,
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
export const examples = [
  ...story,
  ...operations.filter((operation) => !inStory.has(operation)).flatMap(examplesOf),
];

/** Gives a file's tests two gateways, of which one is called through GraphQL and the other through REST. */
export function setUpSides() {
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
    tokens.set('auditor', await issuer.sign({ sub: 'auditor', scope: 'keyward.audit' }));
    tokens.set('actor', await issuer.sign({ sub: 'actor', scope: 'accounts.act' }));
    tokens.set('billing', await issuer.sign({ sub: 'billing', scope: 'accounts.entitle' }));
    tokens.set('mover', await issuer.sign({ sub: 'mover', scope: 'keys.import' }));
    tokens.set('alice with openid', await issuer.sign({ scope: 'openid' }));
  });
  afterAll(async () => {
    await graphql[Symbol.asyncDispose]();
    await rest[Symbol.asyncDispose]();
    await issuer[Symbol.asyncDispose]();
    vi.useRealTimers();
  });

  const known = (outcome: SideOutcome): SideOutcome => ({ ...outcome, data: withoutSecrets(outcome.data) });

  const run = async (call: Step, who: string): Promise<string> => {
    const token = tokens.get(who);
    const ofGraphql = known(graphqlOutcome(await callGraphql(graphql, call, token), call));
    const ofRest = known(restOutcome(await callRest(rest, call, token), call));
    if (call.comparesWords) expect(ofRest).toEqual(ofGraphql);
    else expect(withoutWords(ofRest)).toEqual(withoutWords(ofGraphql));
    return ofRest.code;
  };

  /**
   * Makes calls through both sides, and expects that they come to the same and leave the same rows.
   * @returns the code of each call
   */
  const compare = async (calls: readonly (readonly [Step, string])[]): Promise<string[]> => {
    vi.setSystemTime(startOfTime);
    await reset(graphql);
    await reset(rest);
    expect(await rowsOf(rest)).toEqual(await rowsOf(graphql));
    const codes: string[] = [];
    for (const [call, who] of calls) {
      // Each call has a second of its own, so that a date that should have stayed shows.
      vi.setSystemTime(Date.now() + 1000);
      codes.push(await run(call, who));
    }
    expect(await rowsOf(rest)).toEqual(await rowsOf(graphql));
    return codes;
  };

  return { compare, rows: () => rowsOf(rest) };
}
