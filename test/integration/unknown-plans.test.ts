import { expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { countUnknown, watchUnknown } from '../../src/plans/unknown-plans.ts';
import { plansOf } from '../support/plans.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const plans = plansOf({ free: {}, pro: {} });
const db = () => new Db(setup.gateway.database.em);

async function createAccounts(all: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [subject, plan] of Object.entries(all)) {
    const id = await setup.gateway.createAccount(subject);
    if (plan !== null) await db().kysely.updateTable('account').set({ plan }).where('id', '=', id).execute();
  }
}

it('counts accounts with an unknown plan', async () => {
  expect(await countUnknown(db(), plans)).toBe(0);
  await createAccounts({ alice: null, bob: 'pro', carol: 'gold', dave: 'gold', erin: 'free', frank: 'Zinc' });
  expect(await countUnknown(db(), plans)).toBe(3);
});

it('reports the number once, and again when it changes', async () => {
  await createAccounts({ alice: 'gold' });
  const told: number[] = [];
  const failures: unknown[] = [];
  await using unknown = watchUnknown(
    db(),
    plans,
    (count) => told.push(count),
    (error) => failures.push(error),
  );
  await unknown.run();
  await unknown.run();
  await createAccounts({ bob: 'gold' });
  await unknown.run();
  expect({ told, failures, count: unknown.count }).toEqual({ told: [1, 2], failures: [], count: 2 });
});
