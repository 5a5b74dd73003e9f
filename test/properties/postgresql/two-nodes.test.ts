import { describe, expect, inject, it, vi } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { assertMigrated, migrate } from '../../../src/database/migrate.ts';
import { createOnServer, databaseConfig } from '../../support/database.ts';
import type { Answer, TestGateway } from '../../support/gateway.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const server = inject('postgresUrl') ?? '';

const setup = setUpTwoNodes();

const crowd = Array.from({ length: 100 }, (_, index) => index);
const nodeOf = (index: number): TestGateway => setup.nodes[index % 2 === 0 ? 0 : 1];
const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))];
const happened = (event: string) =>
  setup.nodes.flatMap((node) => node.log()).filter((line) => line['event'] === event);

/** What verifications answered that began before a revocation was answered, and after. */
interface Seen {
  isAnswered: boolean;
  readonly before: number[];
  readonly after: number[];
}

describe('an API key revoked on one node', () => {
  const ask = (node: TestGateway, secret: string) =>
    node.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } });

  const createKey = async () => {
    const alice = await setup.nodes[0].createAccount('alice');
    return setup.nodes[0].createVerifiableKey(alice);
  };

  it('is refused by the other as soon as the response is there, whatever it was asked before', async () => {
    const token = await setup.issuer.sign();
    const { id, secret } = await createKey();
    for (const node of setup.nodes) expect((await ask(node, secret)).status).toBe(200);
    expect((await setup.nodes[0].rest('DELETE', `/auth/keys/${id}`, { token })).status).toBe(200);
    for (const node of setup.nodes) expect((await ask(node, secret)).status).toBe(401);
  });

  /** Asks again and again, until 40 verifications have begun after the answer to the revocation. */
  const askThroughout = async (node: TestGateway, secret: string, seen: Seen): Promise<void> => {
    while (seen.after.length < 40) {
      const isAfter = seen.isAnswered;
      const { status } = await ask(node, secret);
      (isAfter ? seen.after : seen.before).push(status);
      // An answer that came from memory would leave no room for anything else.
      await new Promise(setImmediate);
    }
  };

  it('is refused in a race: no verification that starts after the response says valid', async () => {
    const token = await setup.issuer.sign();
    const alice = await setup.nodes[0].createAccount('alice');
    for (let round = 0; round < 10; round += 1) {
      const { id, secret } = await setup.nodes[0].createVerifiableKey(alice);
      const seen: Seen = { isAnswered: false, before: [], after: [] };
      const asking = crowd.slice(0, 8).map((index) => askThroughout(nodeOf(index), secret, seen));
      await vi.waitFor(() => expect(seen.before.length).toBeGreaterThan(16), 20_000);
      expect(new Set(seen.before)).toEqual(new Set([200]));
      const answer = await setup.nodes[0].rest('DELETE', `/auth/keys/${id}`, { token });
      seen.isAnswered = true;
      expect(answer.status).toBe(200);
      await Promise.all(asking);
      expect(new Set(seen.after)).toEqual(new Set([401]));
    }
  });
});

describe('an account blocked on one node', () => {
  it('is blocked on the other as soon as the response is there, keys and tokens, until it is unblocked', async () => {
    const [one, other] = setup.nodes;
    const token = await setup.issuer.sign();
    const operator = await setup.issuer.sign({ sub: 'ops', scope: 'openid keyward.admin' });
    const alice = await one.createAccount('alice');
    const { secret } = await one.createVerifiableKey(alice);
    const statuses = async () => {
      const asked = setup.nodes.flatMap((node) => [
        node.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } }),
        node.rest('PUT', '/automation/settings', { token, json: { is_enabled: true } }),
      ]);
      return statusesOf(await Promise.all(asked));
    };
    const act = (node: TestGateway, what: string) =>
      node.rest('POST', `/admin/accounts/${alice}/${what}`, { token: operator, json: { reason: 'abuse' } });
    expect(await statuses()).toEqual([200]);
    for (const [blocking, unblocking] of [
      [one, other],
      [other, one],
    ] as const) {
      expect((await act(blocking, 'block')).status).toBe(200);
      expect(await statuses()).toEqual([403]);
      expect((await act(unblocking, 'unblock')).status).toBe(200);
      expect(await statuses()).toEqual([200]);
    }
  });
});

describe('two nodes on one database', () => {
  it('deactivate a key on both at once', async () => {
    const [one, other] = setup.nodes;
    const token = await setup.issuer.sign();
    const alice = await one.createAccount('alice');
    for (const index of crowd.slice(0, 20)) {
      const id = await other.createApiKey(alice);
      const first = await nodeOf(index).rest('DELETE', `/auth/keys/${id}`, { token });
      expect(first).toMatchObject({ status: 200, body: { is_active: false } });
      // Had the other node still taken it for active, this would be a second change of state.
      const second = await nodeOf(index + 1).rest('DELETE', `/auth/keys/${id}`, { token });
      expect(second.text).toBe(first.text);
      expect(happened('api-key-deactivated').filter(({ keyId }) => keyId === id)).toHaveLength(1);
    }
  });

  it('turn 100 deactivations on both into one change of state', async () => {
    const alice = await setup.nodes[0].createAccount('alice');
    const id = await setup.nodes[0].createApiKey(alice);
    const token = await setup.issuer.sign();
    const answers = await Promise.all(
      crowd.map((index) => nodeOf(index).rest('DELETE', `/auth/keys/${id}`, { token })),
    );
    expect(statusesOf(answers)).toEqual([200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(happened('api-key-deactivated')).toMatchObject([{ accountId: alice, keyId: id }]);
  });

  it("read each other's settings", async () => {
    const token = await setup.issuer.sign();
    for (const index of crowd.slice(0, 20)) {
      const json = { session_duration: 60 + index, is_enabled: index % 3 === 0 };
      const written = await nodeOf(index).rest('PUT', '/automation/settings', { token, json });
      expect(written).toMatchObject({ status: 200, body: json });
      const read = await nodeOf(index + 1).rest('PUT', '/automation/settings', { token, json: {} });
      expect(read.text).toBe(written.text);
    }
  });

  it('turn 100 first writes of one person on both into one account', async () => {
    const token = await setup.issuer.sign({ sub: 'carol' });
    const answers = await Promise.all(
      crowd.map((index) =>
        nodeOf(index).rest('PUT', '/automation/settings', { token, json: { session_duration: 60 + index } }),
      ),
    );
    expect(statusesOf(answers)).toEqual([200]);
    expect(await setup.nodes[0].rows('account')).toMatchObject([{ subject: 'carol' }]);
    expect(await setup.nodes[1].rows('automation_settings')).toHaveLength(1);
    expect(happened('account-created')).toHaveLength(1);
  });
});

describe('an empty database', () => {
  it('is migrated once by nodes that start at the same time', async () => {
    const config = databaseConfig(await createOnServer(server));
    const migrateOne = async () => {
      await using database = await openDatabase(config);
      await migrate(database, config);
    };
    await Promise.all(crowd.slice(0, 6).map(migrateOne));
    await using database = await openDatabase(config);
    const applied: { name: string }[] = await database.em
      .getConnection()
      .execute('select name from mikro_orm_migrations');
    const names = applied.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    await assertMigrated(database, config);
  });
});

describe('If-Match on two nodes', () => {
  const path = '/automation/settings';

  it.each([true, false])(
    'is met by one of 100 changes at once; there were settings before: %s',
    async (isSet) => {
      const token = await setup.issuer.sign();
      if (isSet) await setup.nodes[0].rest('PUT', path, { token, json: { is_enabled: true } });
      const { headers } = await setup.nodes[1].rest('GET', path, { token });
      const tag = { 'if-match': headers.get('etag') ?? '' };
      const change = (index: number) =>
        nodeOf(index).rest('PUT', path, { token, headers: tag, json: { session_duration: 60 + index } });
      const answers = await Promise.all(crowd.map(change));
      const made = answers.filter(({ status }) => status === 200);
      expect(made).toHaveLength(1);
      expect(statusesOf(answers).toSorted()).toEqual([200, 412]);
      for (const node of setup.nodes) {
        const read = await node.rest('GET', path, { token });
        expect([read.text, read.headers.get('etag')]).toEqual([made[0]?.text, made[0]?.headers.get('etag')]);
      }
    },
  );

  it('on a key lets one of 100 renames succeed', async () => {
    const token = await setup.issuer.sign();
    const alice = await setup.nodes[0].createAccount('alice');
    const id = await setup.nodes[0].createApiKey(alice);
    const { headers } = await setup.nodes[0].rest('GET', `/auth/keys/${id}`, { token });
    const tag = { 'if-match': headers.get('etag') ?? '' };
    const answers = await Promise.all(
      crowd.map((index) =>
        nodeOf(index).rest('PATCH', `/auth/keys/${id}`, { token, headers: tag, json: { name: `${index}` } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(statusesOf(answers).toSorted()).toEqual([200, 412]);
  });
});
