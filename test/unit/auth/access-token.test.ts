import { describe, expect, it } from 'vitest';
import { readAccessToken } from '../../../src/auth/access-token.ts';
import type { Claims } from '../../../src/auth/claims.ts';
import { scopeDescriptions } from '../../../src/auth/scopes.ts';
import type { IssuerConfig } from '../../../src/config/config.ts';
import { plainIssuer } from '../../../src/config/issuers.ts';

const config: IssuerConfig = {
  issuer: 'https://id.example.com',
  jwksUri: undefined,
  audiences: ['keyward'],
  clientIds: [],
  algorithms: ['RS256'],
  ...plainIssuer,
  scopeAliases: new Map([
    ['aws.cognito.signin.user.admin', ['idp.signin.user.admin']],
    ['access', ['openid', 'email']],
    ['operate', ['keyward.admin']],
    ['verify', ['keys.verify']],
  ]),
  grants: ['keys.verify'],
};

const exp = 1_800_000_000;

const read = (claims: Claims) =>
  readAccessToken({ iss: config.issuer, sub: 'alice', exp, ...claims }, config);

const scopes = (claims: Claims) => [...read(claims).scopes];

describe('readAccessToken', () => {
  it.each<[string, Claims, string[]]>([
    ['scope as a string', { scope: 'openid email' }, ['openid', 'email']],
    ['scope with more spaces than needed', { scope: ' openid  email ' }, ['openid', 'email']],
    ['scp as a string', { scp: 'openid email' }, ['openid', 'email']],
    ['scp as an array', { scp: ['openid', 'email'] }, ['openid', 'email']],
    ['both', { scope: 'openid', scp: ['email', 'openid'] }, ['openid', 'email']],
    ["the provider's own name", { scope: 'aws.cognito.signin.user.admin' }, ['idp.signin.user.admin']],
    ['a name that stands for several', { scope: 'access profile' }, ['openid', 'email', 'profile']],
    ['members that are no names', { scp: ['openid', 5, null, ['email']] }, ['openid']],
    ['an object', { scope: { openid: true } }, []],
    ['one that is not known here', { scope: 'openid api:all constructor __proto__' }, ['openid']],
    [
      'one that the issuer may grant, and one that it may not',
      { scope: 'keyward.admin keys.verify' },
      ['keys.verify'],
    ],
    ['the same by other names', { scope: 'operate verify' }, ['keys.verify']],
    ['nothing', {}, []],
  ])('reads the scopes: %s', (_what, claims, expected) => {
    expect(scopes(claims)).toEqual(expected);
  });

  it("an issuer without grants → only the scopes for one's own data", () => {
    const all = Object.keys(scopeDescriptions);
    const claims = { iss: config.issuer, sub: 'alice', exp, scope: all.join(' ') };
    const { scopes } = readAccessToken(claims, { ...config, grants: [] });
    expect([...scopes]).toEqual(['openid', 'email', 'profile', 'idp.signin.user.admin']);
  });

  it('reads the issuer, the subject and the expiry', () => {
    expect(read({})).toMatchObject({
      issuer: 'https://id.example.com',
      subject: 'alice',
      expiresAt: exp,
    });
  });

  it.each<Claims>([
    { sub: undefined },
    { sub: 5 },
    { iss: undefined },
    { iss: ['https://id.example.com'] },
    { exp: undefined },
    { exp: `${exp}` },
  ])('refuses %o', (claims) => {
    expect(() => read(claims)).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }));
  });
});

describe('the scopes of an issuer with settings of its own', () => {
  const people = ['openid', 'email'] as const;
  it.each<[string, Partial<IssuerConfig>, Claims, string[]]>([
    ['no claim for scopes', { people }, {}, ['openid', 'email']],
    ['an empty text', { people }, { scope: '' }, []],
    ['an empty list', { people }, { scp: [] }, []],
    ['a scope that is not known', { people }, { scope: 'api:all' }, []],
    ['another claim', { people, scopeClaims: ['roles'] }, { roles: ['profile'] }, ['profile']],
    ['no other claim', { people, scopeClaims: ['roles'] }, {}, ['openid', 'email']],
    ['`scope`, where another claim grants', { people, scopeClaims: ['roles'] }, { scope: 'profile' }, []],
    ['`scp`, where another claim grants', { people, scopeClaims: ['roles'] }, { scp: 'profile' }, []],
    ['a claim that grants nothing', { people }, { roles: ['profile'] }, ['openid', 'email']],
    [
      'several claims',
      { scopeClaims: ['scp', 'roles'] },
      { scp: 'openid', roles: ['verify'] },
      ['openid', 'keys.verify'],
    ],
    ['a member of a claim', { scopeClaims: ['app.scopes'] }, { app: { scopes: ['email'] } }, ['email']],
    [
      'a claim with a dot',
      { scopeClaims: ['https://a.example/scopes'] },
      { 'https://a.example/scopes': 'email' },
      ['email'],
    ],
    [
      'a claim with a dot before a member',
      { scopeClaims: ['a.b'] },
      { 'a.b': 'email', a: { b: 'openid' } },
      ['email'],
    ],
    ['inherited members', { scopeClaims: ['constructor.name', 'toString'], people }, {}, ['openid', 'email']],
  ])('%s', (_what, settings, claims, expected) => {
    const all = { iss: config.issuer, sub: 'alice', exp, ...claims };
    expect([...readAccessToken(all, { ...config, ...settings }).scopes]).toEqual(expected);
  });
});
