import { describe, expect, it } from 'vitest';
import { dropTable } from '../support/database.ts';
import type { Answer } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();
const query = 'mutation { removePrivateKey { hasKey createdAt updatedAt } }';
const none = { has_key: false, created_at: null, updated_at: null };

const rest = async (sub = 'alice'): Promise<Answer> =>
  setup.gateway.rest('DELETE', '/auth/private-key', { token: await setup.sign({ sub }) });

/** Alice and bob, each with a private key. */
const createPrivateKeys = async () => {
  for (const subject of ['alice', 'bob'])
    await setup.gateway.createPrivateKey(await setup.gateway.createAccount(subject));
};

describe('200 over REST', () => {
  it("removes only the caller's key, and records it", async () => {
    await createPrivateKeys();
    expect(await rest()).toMatchObject({ status: 200, text: JSON.stringify(none) });
    expect(await setup.gateway.rows('private_key')).toMatchObject([{ account_id: 2 }]);
    expect(await setup.gateway.rows('audit_event')).toMatchObject([
      { account_id: 1, action: 'private-key-removed' },
    ]);
  });

  it.each(['alice', 'carol'])('no key → the same answer, and nothing changes: %s', async (subject) => {
    await createPrivateKeys();
    await rest('alice');
    const before = await setup.stored();
    expect(await rest(subject)).toMatchObject({ status: 200, text: JSON.stringify(none) });
    expect(await setup.stored()).toEqual(before);
  });

  it('many at once → one removal', async () => {
    await createPrivateKeys();
    const answers = await Promise.all(Array.from({ length: 50 }, () => rest()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await setup.gateway.rows('audit_event')).toHaveLength(1);
  });
});

describe('200 over GraphQL', () => {
  it("removes the caller's key", async () => {
    await createPrivateKeys();
    const answer = await setup.gateway.graphql(query, { token: await setup.sign() });
    const status = { hasKey: false, createdAt: null, updatedAt: null };
    expect(answer).toMatchObject({ status: 200, body: { data: { removePrivateKey: status } } });
    expect(await setup.gateway.rows('private_key')).toMatchObject([{ account_id: 2 }]);
  });
});

describe('a change whose audit event cannot be written', () => {
  it('is not made', async () => {
    await createPrivateKeys();
    await dropTable(setup.gateway.database, 'audit_event');
    expect((await rest()).status).toBe(500);
    expect(await setup.gateway.rows('private_key')).toHaveLength(2);
  });
});
