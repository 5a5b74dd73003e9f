import { CompiledQuery } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { createApiKeys } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { type CalledOperation, transportsOf } from '../support/transports.ts';

const setup = setUpGateway();

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

const operations: (CalledOperation & { readonly input?: object })[] = [
  {
    field: 'deactivateApiKey',
    rest: ['DELETE', '/auth/keys/{key_id}'],
    query: 'mutation ($keyId: Int!) { deactivateApiKey(keyId: $keyId) { id } }',
  },
  {
    field: 'updateApiKey',
    rest: ['PATCH', '/auth/keys/{key_id}'],
    query: 'mutation ($keyId: Int!, $name: String) { updateApiKey(keyId: $keyId, name: $name) { id } }',
    input: { name: 'Desk' },
  },
  {
    field: 'rotateApiKey',
    rest: ['POST', '/auth/keys/{key_id}/rotate'],
    query: 'mutation ($keyId: Int!) { rotateApiKey(keyId: $keyId) { key } }',
  },
  {
    field: 'setDefaultApiKey',
    rest: ['PUT', '/auth/keys/{key_id}/default'],
    query: 'mutation ($keyId: Int!) { setDefaultApiKey(keyId: $keyId) { id } }',
  },
];

const cases = operations.flatMap((operation) =>
  transportsOf(setup, operation).map(
    ([transport, call]) => [operation.field, transport, call, operation.input] as const,
  ),
);

/** All that is stored, but whose the keys are. */
const storedButOwners = async () => {
  const { api_key: keys = [], ...others } = await setup.stored();
  return { ...others, keys: keys.map((key) => ({ ...key, account_id: undefined })) };
};

describe('a key that belongs to somebody else by the time it is changed', () => {
  it.each(cases)(
    'is not found by %s over %s, and stays as it is',
    async (_field, _transport, call, input) => {
      await createApiKeys(setup);
      await setup.gateway.addSecret(1, 'secret');
      // A default key is for its owner to choose.
      // One after the other: PostgreSQL looks at each row whether it is the only default one, in any order.
      for (const id of [1, 2])
        await setup.gateway.database.em
          .fork()
          .execute(`update api_key set is_default = ${id === 2} where id = ${id}`);
      const before = await storedButOwners();
      const { wasGiven } = giveAway();
      const outcome = await call({ keyId: 1, ...input });
      expect(wasGiven()).toBe(true);
      expect(outcome).toEqual({ status: 404, code: 'NOT_FOUND', message: 'API key not found' });
      expect(await storedButOwners()).toEqual(before);
      expect(setup.gateway.log().filter((line) => line['event'])).toEqual([]);
    },
  );
});
