import { CompiledQuery } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { refuseRows } from '../support/database.ts';
import { createApiKeys } from '../support/key-suite.ts';
import { type CallOperation, sidesOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import type { OperationName } from '../support/two-sides.ts';

const setup = setUpGateway();

/** The operations that change one of the caller's keys, and their input beside `keyId`. */
const changes = {
  updateApiKey: { permissions: ['documents.read'] },
  setDefaultApiKey: {},
  rotateApiKey: {},
  deactivateApiKey: {},
} satisfies Partial<Record<OperationName, object>>;

/** All operations on one of the caller's keys, over each transport. */
const callsOf = (operations: Partial<Record<OperationName, object>>) =>
  Object.entries(operations).flatMap(([operation, input]) =>
    sidesOf(setup).map(([transport, call]) => {
      const callIt = (keyId: unknown, sub = 'alice'): ReturnType<CallOperation> =>
        call(operation as OperationName, { keyId, ...input }, { sub });
      return [operation, transport, callIt] as const;
    }),
  );

const events = () => setup.gateway.log().filter((line) => line['event']);

const notFound = { status: 404, code: 'NOT_FOUND', challenge: null, message: 'API key not found' };

describe.each(callsOf({ ...changes, apiKey: {}, apiKeyUsage: {} }))(
  '%s over %s',
  (_name, transport, call) => {
    it("another's key, an unknown id, an unknown caller → the same 404", async () => {
      await createApiKeys(setup);
      const before = await setup.stored();
      const outcomes = [
        ...[3, 99, 0, -1, 2_147_483_647, -2_147_483_648].map((id) => call(id)),
        call(1, 'carol'),
        call(99, 'carol'),
        call(1, 'bob'),
      ];
      expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => notFound));
      expect(await setup.stored()).toEqual(before);
      expect(events()).toEqual([]);
    });

    it('the same subject of another issuer → 404', async () => {
      await createApiKeys(setup);
      await setup.gateway.database.em.fork().execute("update account set issuer = 'https://id.example.com'");
      const before = await setup.stored();
      expect(await call(1)).toEqual(notFound);
      expect(await setup.stored()).toEqual(before);
    });

    it.each([
      ['a word', 'abc', transport === 'REST' ? 'int_parsing' : 'int_type'],
      ['too large a number', 2_147_483_648, 'int_parsing_size'],
    ])('%s as the id → BAD_USER_INPUT', async (_what, id, type) => {
      await createApiKeys(setup);
      const before = await setup.stored();
      const { code, issues } = await call(id);
      expect([code, issues]).toMatchObject(['BAD_USER_INPUT', [{ path: ['keyId'], type }]]);
      expect(await setup.stored()).toEqual(before);
    });
  },
);

/** Gives key 1, which is alice's, to bob when an operation is about to change it, or to lock it for that. */
const giveAway = () => {
  const { run } = Db.prototype;
  const toBob = CompiledQuery.raw('update api_key set account_id = 2 where id = 1');
  let given = false;
  vi.spyOn(Db.prototype, 'run').mockImplementation(async function (this: Db, query, entity) {
    if (!given && /^(update|select .* from) .api_key. /.test(query.sql)) {
      given = true;
      await this.kysely.executeQuery(toBob);
    }
    return run.call(this, query, entity);
  });
  return { wasGiven: () => given };
};

/** All that is stored except the owners of keys. */
const storedButOwners = async () => {
  const { api_key: keys = [], ...others } = await setup.stored();
  return { ...others, keys: keys.map((key) => ({ ...key, account_id: undefined })) };
};

describe.each(callsOf(changes))('%s over %s', (_name, _transport, call) => {
  it('a key that another account gets before the change → 404, and nothing changes', async () => {
    await createApiKeys(setup);
    await setup.gateway.addSecret(1, 'secret');
    // The owner chooses the default key. PostgreSQL checks each row in any order: so one statement for each.
    for (const id of [1, 2])
      await setup.gateway.database.em
        .fork()
        .execute(`update api_key set is_default = ${id === 2} where id = ${id}`);
    const before = await storedButOwners();
    const { wasGiven } = giveAway();
    expect(await call(1)).toEqual(notFound);
    expect(wasGiven()).toBe(true);
    expect(await storedButOwners()).toEqual(before);
    expect(events()).toEqual([]);
  });

  it('its audit event cannot be written → 500, nothing changes', async () => {
    await createApiKeys(setup);
    const before = await setup.stored();
    await using _refused = await refuseRows(setup.gateway.database, 'audit_event');
    expect((await call(2)).status).toBeGreaterThanOrEqual(500);
    expect(await setup.stored()).toEqual(before);
    expect(events()).toEqual([]);
  });
});
