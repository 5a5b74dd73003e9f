import { beforeEach, describe, expect, it } from 'vitest';
import { AutomationSettings } from '../../src/database/tables.ts';
import type { Answer } from '../support/gateway.ts';
import { recordStatements } from '../support/record-statements.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

/** What is called, how many SQL statements that is, and the call over REST and over GraphQL. */
type Operation = readonly [name: string, statements: number, rest: string, graphql: string];

const privateKey = '1'.padStart(64, '0');

/** Calls of people who have everything. `<active>` and `<inactive>` are the ids of their API keys. */
const operations: Operation[] = [
  ['private key status', 1, 'GET /auth/private-key', '{ privateKeyStatus { hasKey } }'],
  ['settings', 2, 'PUT /automation/settings {"is_enabled":false}', settings('isEnabled: false')],
  ['settings, {}', 1, 'PUT /automation/settings {}', settings('')],
  ['settings, read', 1, 'GET /automation/settings', '{ automationSettings { userId } }'],
  ['deactivation', 3, 'DELETE /auth/keys/<active>', deactivate('<active>')],
  ['creation', 5, 'POST /auth/keys {}', 'mutation { createApiKey { id } }'],
  ['list of keys', 1, 'GET /auth/keys', '{ apiKeys { edges { node { id } } } }'],
  ['one key', 1, 'GET /auth/keys/<active>', '{ apiKey(keyId: <active>) { id } }'],
  ['default key', 1, 'GET /auth/keys/default', '{ defaultApiKey { id } }'],
  [
    'default key, set',
    6,
    'PUT /auth/keys/<active>/default',
    'mutation { setDefaultApiKey(keyId: <active>) { id } }',
  ],
  [
    'rename',
    3,
    'PATCH /auth/keys/<active> {"name":"x"}',
    'mutation { renameApiKey(keyId: <active>, name: "x") { id } }',
  ],
  ['rotation', 6, 'POST /auth/keys/<active>/rotate {}', 'mutation { rotateApiKey(keyId: <active>) { id } }'],
  ['removal of the private key', 3, 'DELETE /auth/private-key', 'mutation { removePrivateKey { hasKey } }'],
  [
    'registration of a private key',
    4,
    `POST /auth/private-key {"private_key":"${privateKey}"}`,
    `mutation { registerPrivateKey(privateKey: "${privateKey}") { hasKey } }`,
  ],
  ['audit events', 1, 'GET /audit-events', '{ auditEvents { edges { node { id } } } }'],
  ['deactivation, repeated', 1, 'DELETE /auth/keys/<inactive>', deactivate('<inactive>')],
];

/** The same of people who were never seen before. */
const firstCalls: Operation[] = [
  ['private key status', 1, 'GET /auth/private-key', '{ privateKeyStatus { hasKey } }'],
  ['settings', 6, 'PUT /automation/settings {"is_enabled":false}', settings('isEnabled: false')],
];

/** Calls of people who have everything, whose input is not valid. */
const invalid: Operation[] = [
  ['settings', 0, 'PUT /automation/settings {"session_duration":5}', settings('sessionDuration: 5')],
  ['settings, another type', 0, 'PUT /automation/settings {"is_enabled":1}', settings('isEnabled: 1')],
  ['deactivation', 0, 'DELETE /auth/keys/2147483648', deactivate('2147483648')],
];

function settings(input: string): string {
  return `mutation { updateAutomationSettings${input && `(${input})`} { userId } }`;
}

function deactivate(keyId: string): string {
  return `mutation { deactivateApiKey(keyId: ${keyId}) { id } }`;
}

const setup = setUpGateway();

const keysOf: Record<string, { active: number; inactive: number }> = {
  alice: { active: 1, inactive: 2 },
  bob: { active: 3, inactive: 4 },
};

beforeEach(async () => {
  const now = new Date();
  for (const subject of Object.keys(keysOf)) {
    const account = await setup.gateway.createAccount(subject);
    await setup.gateway.createApiKey(account, { isActive: true });
    await setup.gateway.createApiKey(account, { isActive: false });
    await setup.gateway.createPrivateKey(account);
    const stored = { account, isEnabled: true, sessionDuration: 600, createdAt: now, updatedAt: now };
    await setup.gateway.database.em.fork().insert(AutomationSettings, stored);
  }
});

const refusedTokens: [name: string, status: number, token: () => Promise<string | undefined>][] = [
  ['no token', 401, async () => undefined],
  ['a forged token', 401, async () => `${(await setup.sign()).slice(0, -8)}AAAAAAAA`],
  ['too few scopes', 403, () => setup.sign({ scope: 'openid' })],
];

const overRest = ([, , rest]: Operation, token?: string): Promise<Answer> => {
  const [, method = '', path = '', body] = /^(\S+) (\S+)(?: (.+))?$/.exec(rest) ?? [];
  return setup.gateway.rest(method, path, {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  });
};

const overGraphql = ([, , , graphql]: Operation, token?: string): Promise<Answer> =>
  setup.gateway.graphql(graphql, { ...(token !== undefined && { token }) });

/** An operation as somebody calls it: with the ids of their keys. */
const calledBy = (subject: string, [name, statements, ...calls]: Operation): Operation => {
  const fill = (call: string) =>
    call.replace(/<(\w+)>/g, (_, key: string) => `${keysOf[subject]?.[key as 'active']}`);
  return [name, statements, fill(calls[0]), fill(calls[1])];
};

describe.each([
  ['REST', overRest],
  ['GraphQL', overGraphql],
] as const)('over %s', (transport, send) => {
  /** The statements of one call, and the answer. */
  const record = async (operation: Operation, token: string | undefined) => {
    let answer: Answer | undefined;
    const statements = await recordStatements(setup.gateway.database, async () => {
      answer = await send(operation, token);
    });
    return { ...statements, answer };
  };
  const call = async (operation: Operation, subject: string) =>
    record(calledBy(subject, operation), await setup.sign({ sub: subject }));

  const expectSuccess = ({ answer }: Awaited<ReturnType<typeof record>>) =>
    expect(answer).toMatchObject({
      status: expect.toBeOneOf([200, 201]),
      body: expect.not.objectContaining({ errors: expect.anything() }),
    });

  /** Two people's calls are the number of statements that is recorded, and the second prepares nothing. */
  const expectStatements = async (operation: Operation, [one, another]: readonly [string, string]) => {
    const [name, recorded] = operation;
    const first = await call(operation, one);
    expectSuccess(first);
    const change = first.sql.length > recorded ? 'more than' : 'fewer: lower the record of';
    const message = [`${name}: ${first.sql.length} statements, ${change} ${recorded}`, ...first.sql];
    expect(first.sql.length, message.join('\n')).toBe(recorded);

    const second = await call(operation, another);
    expectSuccess(second);
    expect(second.sql, 'the same statements with other values').toEqual(first.sql);
    expect(second.prepared, 'statements that SQLite prepared anew').toEqual([]);
  };

  it.each(operations)('%s: %i', (...operation) => expectStatements(operation, ['alice', 'bob']));

  it.each(firstCalls)('%s by somebody new: %i', (...operation) =>
    expectStatements(operation, ['carol', 'dave']),
  );

  it.each(invalid)('%s with an input that is not valid: %i', async (...operation) => {
    const { sql, answer } = await call(operation, 'alice');
    expect(sql).toEqual([]);
    if (transport === 'REST') expect(answer?.status).toBe(422);
    else expect(answer?.body.errors).toHaveLength(1);
  });

  it.each(refusedTokens)('0 for any operation with %s', async (_name, status, token) => {
    for (const operation of operations) {
      const { sql, answer } = await record(calledBy('alice', operation), await token());
      expect(answer?.status).toBe(status);
      expect(sql).toEqual([]);
    }
  });
});
