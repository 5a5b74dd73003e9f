import { beforeEach, expect, it } from 'vitest';
import type { AccountId } from '../../../src/database/tables.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { actingFor } from '../../support/servers.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

/** The same numbers on every run (a linear congruential generator, by Numerical Recipes). */
const createRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const own = 'openid email profile';

/** The scopes of callers. */
const scopes = [
  own,
  `${own} idp.signin.user.admin`,
  'accounts.act',
  `${own} accounts.act`,
  'keys.verify',
  'keyward.admin',
  'keyward.audit',
  'accounts.entitle',
  '',
];

type State = 'known' | 'blocked' | 'erased' | 'unknown';

interface Person {
  readonly sub: string;
  /** The number of the account; of somebody unknown, one that nobody has. */
  readonly id: number;
  readonly state: State;
  /** The ids of the person's keys. */
  readonly keys: number[];
}

let people: Person[];
beforeEach(async () => {
  people = [];
  for (const [at, state] of (
    ['known', 'known', 'known', 'blocked', 'erased', 'unknown'] as const
  ).entries()) {
    const sub = `person-${at}`;
    if (state === 'unknown') {
      people.push({ sub, id: 9000 + at, state, keys: [] });
      continue;
    }
    const id = await setup.gateway.createAccount(sub, {
      ...(state === 'blocked' && { blockedAt: new Date() }),
      ...(state === 'erased' && { erasedAt: new Date(), subject: `gone-${at}` }),
    });
    // Of an account that was erased, nothing is left.
    const keys = state === 'erased' ? [] : [await setup.gateway.createApiKey(id, { id: 500 - at })];
    people.push({ sub, id, state, keys });
  }
});

/** What a request comes to: the keys that are listed, or a status. */
type Outcome = readonly number[] | 401 | 403 | 404;

/** The keys of an account that is there, newest first. */
const keysOf = ({ state, keys }: Person): Outcome =>
  state === 'blocked' ? 403 : keys.toSorted((one, other) => other - one);

const isThere = ({ state }: Person): boolean => state === 'known' || state === 'blocked';

/** What a list of keys must come to. Whoever was erased or is unknown begins without an account. */
function expected(caller: Person, granted: string, account: number | undefined): Outcome {
  const isOwn = account === undefined || (isThere(caller) && account === caller.id);
  if (isOwn) return granted.startsWith(own) ? keysOf(caller) : 403;
  if (!granted.includes('accounts.act')) return 404;
  if (caller.state === 'blocked') return 403;
  const wanted = people.find(({ id }) => id === account);
  return wanted && isThere(wanted) ? keysOf(wanted) : 404;
}

/** Lists keys over REST. */
async function listByRest(gateway: TestGateway, token: string): Promise<Outcome> {
  const { status, body } = await gateway.rest('GET', '/auth/keys', { token });
  return status === 200 ? body.map(({ id }: { id: number }) => id) : (status as 403);
}

/** Lists keys over GraphQL. */
async function listByGraphql(gateway: TestGateway, token: string): Promise<Outcome> {
  const { status, body } = await gateway.fetch('POST', '/graphql', {
    token,
    json: { query: '{ apiKeys { edges { node { id } } } }' },
    headers: { accept: 'application/graphql-response+json' },
  });
  if (!body.data) return status as 403;
  return body.data.apiKeys.edges.map(({ node }: { node: { id: number } }) => node.id);
}

it('1,000 random requests agree with a model, over both transports, and many at a time', async () => {
  const random = createRandom(76);
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  const seen = new Set<string>();
  for (let round = 0; round < 100; round += 1) {
    const batch = Array.from({ length: 10 }, () => ({
      caller: pick(people),
      granted: pick(scopes),
      account: random(4) === 0 ? undefined : random(8) === 0 ? 0 : pick(people).id,
      isGraphql: random(2) === 0,
    }));
    const answers = await Promise.all(
      batch.map(async ({ caller, granted, account, isGraphql }) => {
        const token = await setup.sign({ sub: caller.sub, scope: granted });
        const gateway = account === undefined ? setup.gateway : actingFor(setup.gateway, account);
        return (isGraphql ? listByGraphql : listByRest)(gateway, token);
      }),
    );
    for (const [at, { caller, granted, account, isGraphql }] of batch.entries()) {
      const wanted = expected(caller, granted, account);
      const about = `${caller.sub} (${caller.state}) with "${granted}" for ${account}, GraphQL: ${isGraphql}`;
      expect(answers[at], about).toEqual(wanted);
      seen.add(`${typeof wanted === 'number' ? wanted : 'keys'} ${isGraphql} ${account === undefined}`);
    }
    // A key more, so that an answer of another moment shows.
    const owner = pick(people.filter(({ state }) => state === 'known'));
    owner.keys.push(await setup.gateway.createApiKey(owner.id as AccountId, { id: 1000 + round }));
  }
  expect(seen.size).toBeGreaterThan(8);
});
