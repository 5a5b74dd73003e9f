import { describe, expect, it } from 'vitest';
import { organization } from '../../../src/config/issuers.ts';
import type { AccountId } from '../../../src/database/tables.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { actingFor, forOrganization } from '../../support/servers.ts';
import { type Setup, setUpGateway } from '../../support/set-up-gateway.ts';

/** How tokens name organisations here: the claims of four kinds of providers, each with its own setting. */
const shapes = [
  {
    name: 'one id',
    setting: { claim: 'org_id', roles: 'role', manage: ['admin'], read: ['member'] },
    everyone: false,
    claims: (roles: Roles) => {
      const [[id, role] = []] = Object.entries(roles);
      return id === undefined ? {} : { org_id: id, role };
    },
    most: 1,
  },
  {
    name: 'a list',
    setting: { claim: 'groups', manage: 'everyone' },
    everyone: true,
    claims: (roles: Roles) => ({ groups: Object.keys(roles) }),
    most: 3,
  },
  {
    name: 'an object by ids',
    setting: { claim: 'o.all', roles: '*.role', manage: ['admin'], read: ['member'], name: '*.name' },
    everyone: false,
    claims: (roles: Roles) => ({
      o: { all: Object.fromEntries(Object.entries(roles).map(([id, role]) => [id, { role, name: id }])) },
    }),
    most: 3,
  },
] as const;

type Role = 'admin' | 'member' | 'guest';
type Roles = Readonly<Record<string, Role>>;

/** The same numbers on every run (a linear congruential generator, by Numerical Recipes). */
const createRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const people = ['alice', 'acme', 'bob'];
/** One has the name of a person, one no account, one is blocked. */
const organizations = ['acme', 'globex', 'blocked', 'nobody'];

type Outcome = readonly string[] | number;

/** Lists keys, or creates one, over one of the transports. */
async function send(
  gateway: TestGateway,
  token: string,
  { isChange, name, isGraphql }: { isChange: boolean; name: string; isGraphql: boolean },
): Promise<Outcome> {
  if (!isGraphql) {
    const { status, body } = isChange
      ? await gateway.rest('POST', '/auth/keys', { token, json: { name } })
      : await gateway.rest('GET', '/auth/keys', { token });
    if (status >= 300) return status;
    return isChange ? [body.name] : body.map((key: { name: string }) => key.name);
  }
  const query = isChange
    ? `mutation { createApiKey(name: "${name}") { apiKey { name } } }`
    : '{ apiKeys { edges { node { name } } } }';
  const { status, body } = await gateway.fetch('POST', '/graphql', {
    token,
    json: { query },
    headers: { accept: 'application/graphql-response+json' },
  });
  if (!body.data) return status;
  if (isChange) return [body.data.createApiKey.apiKey.name];
  return body.data.apiKeys.edges.map(({ node }: { node: { name: string } }) => node.name);
}

/** A request as it is drawn. */
interface Drawn {
  readonly person: string;
  readonly roles: Roles;
  readonly header: 'none' | 'organization' | 'account' | 'both';
  readonly named: string;
  readonly isChange: boolean;
}

/** What a request must come to: the name of the account whose keys it reaches, or a status. */
function expected({ person, roles, header, named, isChange }: Drawn, everyone: boolean): string | number {
  if (header === 'none') return `person ${person}`;
  if (header === 'both') return 400;
  if (header === 'account' && named === 'nobody') return 404;
  const role = roles[named];
  if (role === undefined) return 404;
  if (named === 'blocked') return 403;
  if (!everyone && (role === 'guest' || (isChange && role === 'member'))) return 403;
  return `organization ${named}`;
}

/** Puts in people and organisations, each with a key of its own; returns the numbers of the organisations' accounts. */
async function fill({ gateway }: Setup) {
  const ids = new Map<string, AccountId>();
  for (const subject of people) {
    const id = await gateway.createAccount(subject);
    await gateway.createApiKey(id, { name: `person ${subject}` });
  }
  for (const subject of organizations.filter((each) => each !== 'nobody')) {
    const blockedAt = subject === 'blocked' ? new Date() : null;
    const id = await gateway.createAccount(subject, { kind: 'organization', blockedAt });
    await gateway.createApiKey(id, { name: `organization ${subject}` });
    ids.set(subject, id);
  }
  return ids;
}

/** The gateway for whom a request is. */
function forWhom(gateway: TestGateway, { header, named }: Drawn, number: number): TestGateway {
  if (header === 'none') return gateway;
  if (header === 'account') return actingFor(gateway, number);
  const wanted = forOrganization(gateway, named);
  return header === 'both' ? actingFor(wanted, number) : wanted;
}

/** What a request has reached: the account of the key that it made, or the one whose keys it lists; or a status. */
async function reached(setup: Setup, { isChange }: Drawn, outcome: Outcome): Promise<string | number> {
  if (typeof outcome === 'number') return outcome;
  // All keys of the list are of one account, each named after it.
  if (!isChange) return [...new Set(outcome)].join(' and ') || 'organization nobody';
  const made = (await setup.gateway.rows('api_key')).at(-1);
  const holder = (await setup.gateway.rows('account')).find(({ id }) => id === made?.['account_id']);
  return `${holder?.['kind']} ${holder?.['subject']}`;
}

describe.each(shapes.map((shape) => [shape.name, shape] as const))(
  'tokens with %s',
  (_name, { setting, claims, most, everyone }) => {
    const setup = setUpGateway({ organization: organization.parse(setting) });

    it('340 drawn requests agree with a model, over both transports, and a refused one makes nothing', async () => {
      const ids = await fill(setup);
      const random = createRandom(78);
      const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
      const seen = new Map<string, number>();
      for (let round = 0; round < 340; round += 1) {
        const belongs = organizations.filter(() => random(2) === 0).slice(0, most);
        const drawn: Drawn = {
          person: pick(people),
          roles: Object.fromEntries(belongs.map((id) => [id, pick(['admin', 'member', 'guest'] as const)])),
          header: pick(['none', 'organization', 'organization', 'account', 'both'] as const),
          named: pick(organizations),
          isChange: random(3) === 0,
        };
        const isGraphql = random(2) === 0;
        const token = await setup.sign({ sub: drawn.person, ...claims(drawn.roles) });
        const before = await setup.gateway.rows('api_key');
        const gateway = forWhom(setup.gateway, drawn, ids.get(drawn.named) ?? 9000);
        const wanted = expected(drawn, everyone);
        const { isChange } = drawn;
        const outcome = await send(gateway, token, { isChange, name: `${wanted}`, isGraphql });
        const about = `${JSON.stringify(drawn)} GraphQL: ${isGraphql}`;
        expect(await reached(setup, drawn, outcome), about).toBe(wanted);
        const made = typeof wanted === 'string' && drawn.isChange ? 1 : 0;
        expect(await setup.gateway.rows('api_key'), about).toHaveLength(before.length + made);
        const kind = `${wanted}`.split(' ')[0] ?? '';
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }
      for (const kind of ['person', 'organization', '400', '404', '403'])
        expect(seen.get(kind), kind).toBeGreaterThan(5);
    });
  },
);
