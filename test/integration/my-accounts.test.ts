import { expect, it } from 'vitest';
import type { TokenClaims } from '../support/issuer.ts';
import { forOrganization } from '../support/servers.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway({
  organization: {
    claim: 'orgs',
    roles: '*.role',
    manage: ['admin', 'owner'],
    read: ['member'],
    name: '*.name',
  },
});

const claims: TokenClaims = {
  sub: 'alice',
  orgs: { zeta: { role: 'member' }, acme: { role: 'owner', name: 'Acme' }, no: { role: 'x' } },
};

const list = async (gateway = setup.gateway) =>
  (await gateway.rest('GET', '/auth/accounts', { token: await setup.sign(claims) })).body;

it('the person comes first, then each organisation in which they may do something, by id', async () => {
  const unknown = { user_id: null, organization_id: null, name: null };
  const before = await setup.stored();
  expect(await list()).toEqual([
    { ...unknown, kind: 'person', role: 'manage' },
    { ...unknown, kind: 'organization', organization_id: 'acme', name: 'Acme', role: 'manage' },
    { ...unknown, kind: 'organization', organization_id: 'zeta', role: 'read' },
  ]);
  expect(await setup.stored()).toEqual(before);
});

it('those that have an account have its id, and nobody else’s account is there', async () => {
  const { gateway } = setup;
  const alice = await gateway.createAccount('alice');
  await gateway.createAccount('acme', { blockedAt: new Date() });
  await gateway.createAccount('alice', { kind: 'organization' });
  await gateway.createAccount('acme', { issuer: 'https://other.example.com', kind: 'organization' });
  const acme = await gateway.createAccount('acme', { kind: 'organization' });
  await gateway.createAccount('no', { kind: 'organization' });
  expect((await list()).map(({ user_id }: { user_id: number }) => user_id)).toEqual([alice, acme, null]);
  expect(await list(forOrganization(gateway, 'acme'))).toEqual([
    { user_id: acme, kind: 'organization', organization_id: 'acme', name: 'Acme', role: 'manage' },
  ]);
});

it('200 organisations are listed, over GraphQL as well', async () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`o${at}`, { role: 'owner' }]));
  const token = await setup.sign({ sub: 'alice', orgs: many });
  const { body } = await setup.gateway.graphql('{ myAccounts { kind organizationId } }', { token });
  expect(body.data.myAccounts).toHaveLength(201);
});

it('a blocked person gets none', async () => {
  await setup.gateway.createAccount('alice', { blockedAt: new Date() });
  expect(await list()).toEqual({ detail: 'This account is blocked' });
});
