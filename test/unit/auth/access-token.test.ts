import { describe, expect, it } from 'vitest';
import { type Claims, readAccessToken } from '../../../src/auth/access-token.ts';
import type { IssuerConfig } from '../../../src/config/config.ts';

const config: IssuerConfig = {
  issuer: 'https://id.example.com',
  jwksUri: undefined,
  audiences: ['keyward'],
  clientIds: [],
  algorithms: ['RS256'],
  scopeAliases: new Map([
    ['aws.cognito.signin.user.admin', ['idp.signin.user.admin']],
    ['access', ['openid', 'email']],
  ]),
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
    ['nothing', {}, []],
  ])('reads the scopes: %s', (_what, claims, expected) => {
    expect(scopes(claims)).toEqual(expected);
  });

  it('says who is calling, and until when', () => {
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
