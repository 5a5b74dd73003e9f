import { describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../../src/api-keys/api-key-secret.ts';
import { verifySecret } from '../../../src/api-keys/verify/verify-secret.ts';
import { Db } from '../../../src/database/db.ts';
import { shareReads } from '../../../src/database/shared-read.ts';
import { recordStatements } from '../../support/record-statements.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

const createVerifier = () => {
  const { database, services } = setup.gateway;
  const context = { db: new Db(database.em), services, record: {} };
  return async (secret: string) => {
    const { reason, found } = await verifySecret(context, {
      secret,
      permissions: [],
      cost: 1,
      address: null,
    });
    return [reason, found?.id];
  };
};

/** Makes API keys: each third is good, each third ended, each third unknown. */
async function createMixed(count: number) {
  const account = await setup.gateway.createAccount('alice');
  const keys: { secret: string; answer: unknown[] }[] = [];
  for (let place = 0; place < count; place += 1) {
    if (place % 3 === 2) keys.push({ secret: createApiKeySecret(), answer: ['not_found', undefined] });
    else {
      const isActive = place % 3 === 0;
      const { id, secret } = await setup.gateway.createVerifiableKey(account, { isActive });
      keys.push({ secret, answer: [isActive ? null : 'inactive', id] });
    }
  }
  return keys;
}

describe('verifications at the same time', () => {
  it.each([
    [1, 1],
    [20, 1],
    [64, 1],
    [65, 2],
    [150, 3],
  ])('get their own answers: %i of them take %i statements', async (count, statements) => {
    const keys = await createMixed(count);
    const verify = createVerifier();
    const answers: unknown[] = [];
    const { sql } = await recordStatements(setup.gateway.database, async () => {
      answers.push(...(await Promise.all(keys.map(({ secret }) => verify(secret)))));
    });
    expect(answers).toEqual(keys.map(({ answer }) => answer));
    expect(sql).toHaveLength(statements);
  });

  it('of one secret → all get its answer', async () => {
    const [key] = await createMixed(1);
    const verify = createVerifier();
    const answers = await Promise.all(Array.from({ length: 64 }, () => verify(key?.secret ?? '')));
    expect(answers).toEqual(Array.from({ length: 64 }, () => key?.answer));
  });
});

describe('a shared read', () => {
  /** A read whose statements wait until they are let go. */
  const createHeldRead = () => {
    const sent: string[][] = [];
    const letGo: PromiseWithResolvers<void>[] = [];
    const read = shareReads(async (_db: Db, keys: readonly string[]) => {
      const held = Promise.withResolvers<void>();
      sent.push([...keys]);
      letGo.push(held);
      await held.promise;
      return keys;
    }, 4);
    return { read, sent, letGo };
  };
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  it('that was sent → neither delays nor answers later requests', async () => {
    const db = new Db(setup.gateway.database.em);
    const { read, sent, letGo } = createHeldRead();
    const first = [read(db, ['a']), read(db, ['b'])];
    await turn();
    const later = read(db, ['c']);
    await turn();
    expect(sent).toEqual([['a', 'b'], ['c']]);
    letGo[1]?.resolve();
    expect(await later).toEqual(['c']);
    letGo[0]?.resolve();
    expect(await Promise.all(first)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('that fails → the requests that share it fail, and no others', async () => {
    const db = new Db(setup.gateway.database.em);
    const { read, letGo } = createHeldRead();
    const asked = [['a', 'b'], ['c', 'd'], ['e']].map((keys) => read(db, keys));
    const outcomes = Promise.allSettled(asked);
    await turn();
    letGo[0]?.reject(new Error('lost'));
    letGo[1]?.resolve();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('is not used within a transaction', async () => {
    const { read, sent, letGo } = createHeldRead();
    await new Db(setup.gateway.database.em).transaction(async (db) => {
      const asked = [read(db, ['a']), read(db, ['b'])];
      expect(sent).toEqual([['a'], ['b']]);
      for (const held of letGo) held.resolve();
      await Promise.all(asked);
    });
  });

  it('has the latest deadline of its requests; a request past its deadline → 503', async () => {
    const db = new Db(setup.gateway.database.em);
    const deadlines: number[] = [];
    const read = shareReads(async ({ deadline }: Db, keys: readonly string[]) => {
      deadlines.push(deadline);
      return keys;
    }, 4);
    const now = performance.now();
    const asked = [now + 1000, now + 3000, now + 2000].map((deadline) => read(db.until(deadline), ['a']));
    await expect(read(db.until(now - 1), ['late'])).rejects.toMatchObject({ status: 503 });
    await Promise.all(asked);
    expect(deadlines).toEqual([now + 3000]);
  });
});
