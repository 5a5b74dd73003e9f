import { expect, it } from 'vitest';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

const users = 50;
const rounds = 6;

/** The same numbers on every run (a linear congruential generator, by Numerical Recipes). */
const createRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

interface User {
  readonly token: string;
  readonly accountId: number;
  readonly keyId: number;
  readonly hasPrivateKey: boolean;
  active: boolean;
  duration: number | null;
}

const createUser = async (index: number): Promise<User> => {
  const sub = `user-${index}`;
  const account = await setup.gateway.createAccount(sub);
  // Ids of keys and of accounts run in different orders: mixing them up shows.
  const keyId = await setup.gateway.createApiKey(account, { id: 1000 - index, keyPrefix: `sk-${account}` });
  const hasPrivateKey = index % 2 === 0;
  if (hasPrivateKey) await setup.gateway.createPrivateKey(account);
  const token = await setup.sign({ sub });
  return { token, accountId: account, keyId, hasPrivateKey, active: true, duration: null };
};

const deactivate = async ({ token, accountId }: User, owner: User) => {
  const query = `mutation { deactivateApiKey(keyId: ${owner.keyId}) { id keyPrefix isActive } }`;
  const rest = await setup.gateway.rest('DELETE', `/auth/keys/${owner.keyId}`, { token });
  const graphql = await setup.gateway.graphql(query, { token });
  if (accountId !== owner.accountId) {
    expect(rest.text).toBe('{"detail":"API key not found"}');
    expect(graphql.body).toMatchObject({ data: null, errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    return;
  }
  owner.active = false;
  expect(rest.body).toMatchObject({ id: owner.keyId, key_prefix: `sk-${accountId}`, is_active: false });
  expect(graphql.body.data.deactivateApiKey).toMatchObject({ id: owner.keyId, keyPrefix: `sk-${accountId}` });
};

const update = async (user: User, duration: number) => {
  const { token, accountId } = user;
  const answer = await setup.gateway.rest('PUT', '/automation/settings', {
    token,
    json: { session_duration: duration },
  });
  user.duration = duration;
  expect(answer.body).toMatchObject({ user_id: accountId, session_duration: duration });
};

const readBack = async ({ token, accountId, duration }: User) => {
  const query = 'mutation { updateAutomationSettings { userId sessionDuration } }';
  const { body } = await setup.gateway.graphql(query, { token });
  expect(body.data.updateAutomationSettings).toEqual({ userId: accountId, sessionDuration: duration });
};

const readStatus = async ({ token, hasPrivateKey }: User) => {
  const { body } = await setup.gateway.rest('GET', '/auth/private-key', { token });
  expect(body.has_key).toBe(hasPrivateKey);
};

it('people see and change only what is their own, whatever happens at the same time', async () => {
  const all: User[] = [];
  for (let index = 0; index < users; index += 1) all.push(await createUser(index));
  const random = createRandom(20_260_301);

  const step = (user: User): Promise<void> => {
    const owner = random(8) === 0 ? user : (all[random(users)] ?? user);
    const steps = [
      () => deactivate(user, owner),
      () => update(user, 60 + random(86_000)),
      () => readBack(user),
      () => readStatus(user),
    ];
    return (steps[random(steps.length)] ?? steps[0])?.() ?? Promise.resolve();
  };
  for (let round = 0; round < rounds; round += 1) await Promise.all(all.map(step));

  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
  expect((await setup.gateway.rows('api_key')).map(({ id, is_active }) => ({ id, is_active }))).toEqual(
    all.map(({ keyId, active }) => ({ id: keyId, is_active: active ? 1 : 0 })).toSorted(byId),
  );
  const stored = await setup.gateway.rows('automation_settings');
  const durations = new Map(stored.map((row) => [row['account_id'], row['session_duration']]));
  expect(all.map(({ accountId }) => durations.get(accountId) ?? null)).toEqual(
    all.map(({ duration }) => duration),
  );
  expect(await setup.gateway.rows('account')).toHaveLength(users);
  // The run was worth something: both outcomes of the deactivation came up.
  expect(new Set(all.map(({ active }) => active))).toEqual(new Set([true, false]));
});
