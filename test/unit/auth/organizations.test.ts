import { describe, expect, it } from 'vitest';
import { claimOf } from '../../../src/auth/claims.ts';
import { MalformedOrganization, organizationsOf } from '../../../src/auth/organizations.ts';
import { organization } from '../../../src/config/issuers.ts';

/** The organisations of a token: `acme: manage (Acme)`. */
const read = (claims: object, config: object): string[] =>
  [...organizationsOf({ sub: 'alice', ...claims }, organization.parse(config))].map(
    ([id, { role, name }]) => `${id}: ${role}${name === null ? '' : ` (${name})`}`,
  );

const byRole = { manage: ['admin'] };

describe('the organisations of a token', () => {
  it.each([
    [
      'Auth0',
      { org_id: 'org_9ybsU1dN2dKfDkBi' },
      { claim: 'org_id', manage: 'everyone' },
      ['org_9ybsU1dN2dKfDkBi: manage'],
    ],
    [
      'Clerk',
      { v: 2, o: { id: 'org_1', rol: 'admin', slg: 'acme' } },
      {
        claim: 'o.id',
        roles: 'o.rol',
        name: 'o.slg',
        ...byRole,
      },
      ['org_1: manage (acme)'],
    ],
    [
      'WorkOS',
      { org_id: 'org_1', role: 'member' },
      { claim: 'org_id', roles: 'role', ...byRole },
      ['org_1: read'],
    ],
    [
      'Keycloak, a list',
      { organization: ['acme', 'globex'] },
      { claim: 'organization', manage: 'everyone' },
      ['acme: manage', 'globex: manage'],
    ],
    [
      'Keycloak, a map',
      { organization: { acme: { id: '42c3e46f' }, globex: {} }, realm_access: { roles: ['admin'] } },
      {
        claim: 'organization',
        roles: 'realm_access.roles',
        ...byRole,
      },
      ['acme: manage', 'globex: manage'],
    ],
    [
      'roles in a map',
      { orgs: { acme: { roles: ['admin', 'x'], title: 'Acme' }, globex: { roles: [] }, initech: {} } },
      {
        claim: 'orgs',
        roles: '*.roles',
        name: '*.title',
        ...byRole,
      },
      ['acme: manage (Acme)', 'globex: read', 'initech: read'],
    ],
    [
      'roles as the values of a map',
      { orgs: { acme: 'admin', globex: ['guest'] } },
      {
        claim: 'orgs',
        roles: '*',
        read: ['member'],
        ...byRole,
      },
      ['acme: manage', 'globex: null'],
    ],
    [
      'groups of Entra and Okta',
      { groups: ['a', 'b'], roles: ['reader'] },
      {
        claim: 'groups',
        roles: 'roles',
        read: ['reader'],
        ...byRole,
      },
      ['a: read', 'b: read'],
    ],
    [
      'a claim with dots in its name',
      { 'https://a.example.com/org': { 'x.id': 'acme' } },
      {
        claim: 'https://a.example.com/org.x.id',
        manage: 'everyone',
      },
      ['acme: manage'],
    ],
    ['no claim', {}, { claim: 'org_id', manage: 'everyone' }, []],
    ['null', { org_id: null }, { claim: 'org_id', manage: 'everyone' }, []],
    ['a path through a text', { o: 'acme' }, { claim: 'o.id', manage: 'everyone' }, []],
    ['an empty list', { org: [] }, { claim: 'org', manage: 'everyone' }, []],
    ['an empty map', { org: {} }, { claim: 'org', manage: 'everyone' }, []],
    [
      'a group that no header field can carry',
      { groups: ['Süd', ' a', 'x'.repeat(255), 'Sales EU'] },
      {
        claim: 'groups',
        manage: 'everyone',
      },
      [`${'x'.repeat(255)}: manage`, 'Sales EU: manage'],
    ],
    [
      'ids that are none',
      { org: ['', 'x'.repeat(256), '\ud800', 'acme'] },
      { claim: 'org', manage: 'everyone' },
      ['acme: manage'],
    ],
    [
      '201 ids',
      { org: Array.from({ length: 201 }, (_, at) => `o${at}`) },
      { claim: 'org', manage: 'everyone' },
      [],
    ],
    [
      'one name for several',
      { org: ['acme', 'globex'], title: 'Acme' },
      { claim: 'org', manage: 'everyone', name: 'title' },
      ['acme: manage', 'globex: manage'],
    ],
    [
      'a name that is too long',
      { org: 'acme', title: 'x'.repeat(256) },
      { claim: 'org', manage: 'everyone', name: 'title' },
      ['acme: manage'],
    ],
    [
      'a role of another spelling',
      { org_id: 'acme', role: 'Admin' },
      { claim: 'org_id', roles: 'role', ...byRole },
      ['acme: read'],
    ],
    [
      'several roles in a text',
      { org_id: 'acme', role: 'admin member' },
      {
        claim: 'org_id',
        roles: 'role',
        ...byRole,
      },
      ['acme: read'],
    ],
    ['the same id twice', { org: ['acme', 'acme'] }, { claim: 'org', manage: 'everyone' }, ['acme: manage']],
    [
      'a name of an object’s own',
      { org: ['constructor', '__proto__'] },
      { claim: 'org', manage: 'everyone' },
      ['constructor: manage', '__proto__: manage'],
    ],
  ])('%s', (_provider, claims, config, wanted) => {
    expect(read(claims, config)).toEqual(wanted);
  });

  it.each([
    ['a number', { org: 42 }, 'org'],
    ['a list with a number', { org: ['acme', 42] }, 'org'],
    ['a list with null', { org: ['acme', null] }, 'org'],
    ['a list in a list', { org: [['acme']] }, 'org'],
    ['true', { org: true }, 'org'],
    ['a role that is a number', { org: 'acme', role: 1 }, 'role'],
    ['a role that is an object', { org: 'acme', role: { admin: true } }, 'role'],
    ['a list of roles with null', { org: 'acme', role: ['admin', null] }, 'role'],
    ['a name that is a list', { org: 'acme', name: ['Acme'] }, 'name'],
  ])('%s is malformed, whatever else the token has', (_what, claims, path) => {
    const config = { claim: 'org', roles: 'role', name: 'name', ...byRole };
    const reading = () => read(claims, config);
    expect(reading).toThrow(MalformedOrganization);
    expect(reading).toThrow(expect.objectContaining({ path }));
  });

  it('without the setting there are none, whatever the token has', () => {
    expect(organizationsOf({ org_id: 'acme' }, undefined).size).toBe(0);
  });
});

describe('the setting', () => {
  it.each([
    [{}, 'claim'],
    [{ claim: 'org' }, 'manage'],
    [{ claim: 'org', manage: ['admin'] }, 'roles'],
    [{ claim: 'org', manage: 'everyone', read: ['x'] }, 'roles'],
    [{ claim: 'org', manage: [], roles: 'role' }, 'manage'],
    [{ claim: 'org', manage: 'anybody' }, 'manage'],
    [{ claim: '', manage: 'everyone' }, 'claim'],
    [{ claim: ['org'], manage: 'everyone' }, 'claim'],
    [{ claim: 'org', manage: 'everyone', role: 'x' }, ''],
  ])('%j is refused', (config, path) => {
    const [issue] = organization.safeParse(config).error?.issues ?? [];
    expect(issue?.path.join('.')).toBe(path);
  });
});

describe('a path', () => {
  const claims = {
    a: { b: { c: 1 }, 'b.c': 2 },
    'a.b': { c: 3 },
    x: ['y'],
    n: null,
    'p.q': 'text',
    p: { q: { r: 5 } },
  };
  it.each([
    ['a.b.c', 3],
    ['a.b', { c: 3 }],
    ['a', claims.a],
    ['p.q.r', 5],
    ['x.0', undefined],
    ['x.length', undefined],
    ['n.a', undefined],
    ['a.toString', undefined],
    ['.a', undefined],
    ['a.', undefined],
    ['', undefined],
  ])('%s', (path, value) => {
    expect(claimOf(claims, path)).toEqual(value);
  });
});
