import { isRequiredArgument } from 'graphql';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createApiKeySecret, keyPrefixOf } from '../../src/api-keys/api-key-secret.ts';
import { AccountUse, ApiKeyUse, AuditEvent, AutomationSettings } from '../../src/database/tables.ts';
import type { routes } from '../../src/rest/routes.ts';
import type { Answer } from '../support/gateway.ts';
import { recordStatements } from '../support/record-statements.ts';
import { scannedTables } from '../support/scanned-tables.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import {
  callGraphql,
  callRest,
  inputsOf,
  type OperationName,
  operations,
  pathArgument,
  type Step,
  scopesOf,
} from '../support/two-sides.ts';
import { createAdded, createDeliveries } from '../support/webhook-sender.ts';

/** How many SQL statements a call is, and its input: GraphQL's name → JSON text. */
type Count = readonly [statements: number, input?: Step['input']];

/** What changes something; its number of statements is held here. */
type Change = {
  [Name in OperationName]: (typeof routes)[Name]['method'] extends 'GET' ? never : Name;
}[OperationName];

const privateKey = `"${'1'.padStart(64, '0')}"`;
const active = { keyId: '<active>' };
const inactive = { keyId: '<inactive>' };
const endpoint = { endpointId: '<endpoint>' };

/**
 * Calls of people who have everything. `<active>` and `<inactive>` are the ids of their API keys, `<key>` a secret,
 * `<account>` is somebody else, `<endpoint>` a webhook endpoint, and `<delivery>` what is sent to it.
 */
const changes: Readonly<Record<Change, readonly Count[]>> = {
  blockAccount: [[5, { id: '<account>', reason: '"x"' }]],
  deactivateAccountApiKey: [[3, { ...active, reason: '"x"' }]],
  pauseAccountApiKey: [[4, { ...active, reason: '"x"' }]],
  resumeAccountApiKey: [[2, { ...active, reason: '"x"' }]],
  ensureAccount: [[5, { issuer: '"https://id.example.com"', subject: '<friend>' }]],
  eraseAccount: [[11, { id: '<account>' }]],
  findApiKey: [
    [2, { key: '<key>' }],
    [2, { keyPrefix: '"sk-a1b2c3"' }],
  ],
  createWebhookEndpoint: [[8, { url: '<url>' }]],
  removeWebhookEndpoint: [[5, endpoint]],
  resendWebhookDelivery: [[7, { deliveryId: '<delivery>' }]],
  rotateWebhookSecret: [[5, endpoint]],
  updateWebhookEndpoint: [
    [5, { ...endpoint, isPaused: 'true' }],
    [3, endpoint],
  ],
  setEntitlement: [[4, { userId: '<account>', overrides: '{"max_active_keys":2}', reason: '"x"' }]],
  setEntitlementBySubject: [
    [
      7,
      {
        issuer: '"https://id.example.com"',
        subject: '<friend>',
        overrides: '{"max_active_keys":2}',
        reason: '"x"',
      },
    ],
  ],
  unblockAccount: [[3, { id: '<account>', reason: '"x"' }]],
  createApiKey: [[5], [6, { quota: '{"limit":10,"refill":"DAILY"}' }]],
  deactivateApiKey: [
    [3, active],
    [1, inactive],
  ],
  pauseApiKey: [[3, active]],
  resumeApiKey: [[1, active]],
  registerPrivateKey: [[4, { privateKey }]],
  removePrivateKey: [[3]],
  updateApiKey: [
    [3, { ...active, name: '"x"' }],
    [3, { ...active, name: '"x"', permissions: '["documents.read"]', metadata: '{"plan":"pro"}' }],
    [5, { ...active, quota: '{"limit":10,"refill":"DAILY"}' }],
    [1, active],
    [1, { ...active, name: '"Laptop"' }],
  ],
  rotateApiKey: [[6, active]],
  endApiKeySecret: [[5, { ...active, prefix: '<previous>' }]],
  setDefaultApiKey: [[6, active]],
  updateAutomationSettings: [[3, { isEnabled: 'false' }], [1]],
  importApiKey: [
    [
      15,
      {
        issuer: '"https://id.example.com"',
        subject: '<friend>',
        key: '<foreign>',
        keyPrefix: '<prefix>',
      },
    ],
  ],
  verifyApiKey: [[1, { key: '<key>' }]],
};

/** What only reads is one statement; where it is not, its number stands here, or what it is called with. */
const reads: Partial<Record<Exclude<OperationName, Change>, readonly Count[]>> = {
  // What operators read is not theirs, so whether they are blocked themselves is asked first.
  account: [[2, { id: '1' }]],
  accountApiKey: [[2, { id: '<owner>', keyId: '<active>' }]],
  accountApiKeys: [[2, { id: '1' }]],
  accountApiKeyUsage: [[2, { keyId: '<active>' }]],
  // It is recorded in both trails.
  accountAuditEvents: [[5, { id: '<account>' }]],
  // Where nothing was counted, whether there is such an account is asked last.
  accountUsage: [[3, { id: '<account>' }]],
  accounts: [[2], [5, { filter: '"er"' }]],
  // Reading is recorded, in one trail.
  auditTrail: [
    [4],
    [4, { userId: '<account>', actor: '"operator"', keyId: '<active>' }],
    [5, { action: '"api-key-created,api-key-deactivated"' }],
    [6, { from: '"2026-01-01T00:00:00Z"', to: '"2026-01-02T00:00:00Z"' }],
  ],
  entitlement: [[2, { userId: '1' }]],
  webhookDeliveries: [[2, endpoint]],
  webhookDelivery: [[2, { ...endpoint, deliveryId: '<delivery>' }]],
  webhookEndpoint: [[2, endpoint]],
  webhookEndpoints: [[2]],
};

/** The arguments of a read that must be given, as they are published. */
const requiredInput = (operation: OperationName): Step['input'] =>
  Object.fromEntries(
    inputsOf(operation)
      .filter(isRequiredArgument)
      .map(({ name, extensions }) => [
        name,
        name === 'keyId' ? '<active>' : JSON.stringify(extensions['example']),
      ]),
  );

const countsOf = (operation: OperationName): readonly Count[] =>
  ({ ...changes, ...reads })[operation] ?? [[1, requiredInput(operation)]];

/** What is called, with which input, and how many SQL statements that is. */
type Counted = readonly [operation: OperationName, statements: number, input: Step['input']];

const counted: Counted[] = operations.flatMap((operation) =>
  countsOf(operation).map(([statements, input = {}]) => [operation, statements, input] as const),
);

/** The same of people who were never seen before. */
const firstCalls: Counted[] = [
  ['privateKeyStatus', 1, {}],
  ['updateAutomationSettings', 6, { isEnabled: 'false' }],
];

/** Calls of people who have everything, whose input is not valid. */
const invalid: Counted[] = [
  ['updateAutomationSettings', 0, { sessionDuration: '5' }],
  ['updateAutomationSettings', 0, { isEnabled: '1' }],
  ['deactivateApiKey', 0, { keyId: '2147483648' }],
];

const setup = setUpGateway();

const createSecrets = () => ({ key: createApiKeySecret(), previous: createApiKeySecret() });

const thingsOf = {
  alice: { ...createSecrets(), owner: 1, active: 1, inactive: 2, account: 3, endpoint: 1, delivery: 1 },
  bob: { ...createSecrets(), owner: 2, active: 3, inactive: 4, account: 4, endpoint: 2, delivery: 2 },
};
const keysOf: Readonly<Record<string, (typeof thingsOf)['alice']>> = thingsOf;

beforeEach(async () => {
  const now = new Date();
  const inAnHour = new Date(Date.now() + 3_600_000);
  for (const [subject, { active: id, key, previous }] of Object.entries(keysOf)) {
    const account = await setup.gateway.createAccount(subject);
    await setup.gateway.createApiKey(account, { isActive: true });
    await setup.gateway.createApiKey(account, { isActive: false });
    await setup.gateway.addSecret(id, key);
    await setup.gateway.addSecret(id, previous, inAnHour);
    await setup.gateway.createPrivateKey(account);
    const stored = { account, isEnabled: true, sessionDuration: 600, createdAt: now, updatedAt: now };
    await setup.gateway.database.em.fork().insert(AutomationSettings, stored);
    const use = { hour: new Date(Date.now() - 3_600_000), outcome: 'valid', count: 1 };
    await setup.gateway.database.em.fork().insert(ApiKeyUse, { ...use, apiKey: id });
    await setup.gateway.database.em.fork().insert(AccountUse, { ...use, account });
    const event = { account, action: 'private-key-registered', request: 'request-1', createdAt: now };
    await setup.gateway.database.em.fork().insert(AuditEvent, event);
  }
  for (const subject of ['erin', 'frank']) await setup.gateway.createAccount(subject);
  for (const subject of Object.keys(keysOf)) {
    const id = await createAdded(setup, `https://hooks.example.com/of/${subject}`);
    await createDeliveries(setup, id, ['parked']);
  }
});

const refusedTokens: [name: string, status: number, token: () => Promise<string | undefined>][] = [
  ['no token', 401, async () => undefined],
  ['a forged token', 401, async () => `${(await setup.sign()).slice(0, -8)}AAAAAAAA`],
  ['too few scopes', 403, () => setup.sign({ scope: 'openid' })],
];

/** A call as somebody makes it: with the ids of their keys. */
const calledBy = (subject: string, [operation, , input]: Counted): Step => {
  const fill = (text: string) =>
    text
      .replace(
        /<(owner|active|inactive|account|endpoint|delivery)>/,
        (_, key: 'active') => `${keysOf[subject]?.[key]}`,
      )
      .replace('<url>', `"https://hooks.example.com/for/${subject}"`)
      .replace('<key>', `"${keysOf[subject]?.key}"`)
      .replace('<previous>', `"${keyPrefixOf(keysOf[subject]?.previous ?? '')}"`)
      .replace('<friend>', `"a friend of ${subject}"`)
      .replace('<prefix>', `"${Buffer.from(subject).toString('hex')}_"`)
      .replace('<foreign>', `"${Buffer.from(subject).toString('hex')}_${'k'.repeat(40)}"`);
  const filled = Object.fromEntries(Object.entries(input).map(([name, text]) => [name, fill(text)]));
  const pathText = filled[pathArgument(operation) ?? ''];
  return { operation, input: filled, comparesWords: true, ...(pathText !== undefined && { pathText }) };
};

/** A token of somebody that will do for an operation. */
const tokenOf = (subject: string, operation: OperationName) =>
  setup.sign({ sub: subject, scope: scopesOf(operation).join(' ') });

describe.each([
  ['REST', callRest],
  ['GraphQL', callGraphql],
] as const)('over %s', (transport, send) => {
  /** The statements of one call, and the answer. */
  const record = async (step: Step, token: string | undefined) => {
    let answer: Answer | undefined;
    // What goes on in the background is not the operation's.
    vi.spyOn(setup.gateway.erasures, 'run').mockResolvedValue();
    for (const quotas of [setup.gateway.keyQuotas, setup.gateway.accountQuotas]) {
      // Waits for a return of units that has begun, and returns none itself.
      await quotas.giveBack(Number.NEGATIVE_INFINITY);
      vi.spyOn(quotas, 'giveBack').mockResolvedValue();
    }
    const statements = await recordStatements(setup.gateway.database, async () => {
      answer = await send(setup.gateway, step, token);
    });
    return { ...statements, answer };
  };
  const call = async (counts: Counted, subject: string) =>
    record(calledBy(subject, counts), await tokenOf(subject, counts[0]));

  const expectSuccess = ({ answer }: Awaited<ReturnType<typeof record>>) =>
    expect(answer).toMatchObject({
      status: expect.toBeOneOf([200, 201]),
      body: expect.not.objectContaining({ errors: expect.anything() }),
    });

  /** Two people's calls are the number of statements that is recorded, and the second prepares nothing. */
  const expectStatements = async (counts: Counted, [one, another]: readonly [string, string]) => {
    const [name, recorded] = counts;
    const first = await call(counts, one);
    expectSuccess(first);
    const change = first.sql.length > recorded ? 'more than' : 'fewer: lower the record of';
    const message = [`${name}: ${first.sql.length} statements, ${change} ${recorded}`, ...first.sql];
    expect(first.sql.length, message.join('\n')).toBe(recorded);

    const scanned = first.sql.flatMap((sql) => scannedTables(setup.gateway.database, sql));
    expect(scanned, 'tables of which every row is read, however many there are').toEqual([]);

    const second = await call(counts, another);
    expectSuccess(second);
    expect(second.sql, 'the same statements with other values').toEqual(first.sql);
    expect(second.prepared, 'statements that SQLite prepared anew').toEqual([]);
  };

  it.each(counted)('%s: %i statements, with %o', (...counts) => expectStatements(counts, ['alice', 'bob']));

  it.each(firstCalls)('%s by a caller without an account: %i statements', (...counts) =>
    expectStatements(counts, ['carol', 'dave']),
  );

  it.each(invalid)('%s with an invalid input: %i statements, %o', async (...counts) => {
    const { sql, answer } = await call(counts, 'alice');
    expect(sql).toEqual([]);
    if (transport === 'REST') expect(answer?.status).toBe(422);
    else expect(answer?.body.errors).toHaveLength(1);
  });

  it.each(refusedTokens)('no statement for any operation with %s', async (_name, status, token) => {
    for (const counts of counted) {
      const { sql, answer } = await record(calledBy('alice', counts), await token());
      expect(answer?.status).toBe(status);
      expect(sql).toEqual([]);
    }
  });
});
