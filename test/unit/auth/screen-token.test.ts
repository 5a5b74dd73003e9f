import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeToken, screenClaims, screenHeader } from '../../../src/auth/access-token.ts';
import type { Claims } from '../../../src/auth/claims.ts';
import type { IssuerConfig } from '../../../src/config/config.ts';
import { plainIssuer } from '../../../src/config/issuers.ts';

const now = 1_800_000_000;

const config: IssuerConfig = {
  issuer: 'https://id.example.com',
  jwksUri: undefined,
  audiences: ['keyward', 'keyward-two'],
  clientIds: ['web'],
  algorithms: ['RS256', 'ES256'],
  ...plainIssuer,
  scopeAliases: new Map(),
  grants: ['keyward.admin', 'keys.verify'],
};

const header = { alg: 'RS256', kid: 'k', typ: 'at+jwt' };
const claims = { iss: config.issuer, aud: 'keyward', sub: 'alice', exp: now + 300 };

const refusal = (reason: string) =>
  expect.objectContaining({
    code: 'UNAUTHENTICATED',
    message: 'Could not validate credentials',
    reason: `token-${reason}`,
  });

const encode = (value: string) => Buffer.from(value).toString('base64url');

const signature = encode('signature');

describe('decodeToken', () => {
  it('reads header and claims', () => {
    const token = `${encode('{"alg":"RS256"}')}.${encode('{"sub":"alice"}')}.${signature}`;
    expect(decodeToken(token)).toEqual({
      header: { alg: 'RS256' },
      claims: { sub: 'alice' },
      signature: Buffer.from(signature, 'base64url'),
    });
  });

  it.each([
    `${encode('{"alg":')}.${encode('{}')}.${signature}`,
    `${encode('{}')}.${encode('"alice"')}.${signature}`,
    `${encode('{}')}.${encode('[]')}.${signature}`,
    `${encode('null')}.${encode('{}')}.${signature}`,
    `${encode('{}')}.${encode('not JSON')}.${signature}`,
  ])('refuses %s', (token) => {
    expect(() => decodeToken(token)).toThrow(refusal('malformed'));
  });

  it('refuses another encoding of the same signature', () => {
    const [header, claims] = [encode('{"alg":"RS256"}'), encode('{"sub":"alice"}')];
    // Two bytes take two characters and four bits of a third; the two bits that are left over mean nothing.
    expect(Buffer.from('AAB', 'base64url')).toEqual(Buffer.from('AAA', 'base64url'));
    expect(() => decodeToken(`${header}.${claims}.AAA`)).not.toThrow();
    expect(() => decodeToken(`${header}.${claims}.AAB`)).toThrow(refusal('malformed'));
  });
});

describe('screenHeader', () => {
  it.each([
    {},
    { alg: 'ES256' },
    { typ: undefined },
    { typ: 'JWT' },
    { typ: 'AT+JWT' },
    { typ: 'application/at+jwt' },
    { jku: 'https://evil.example.com', x5u: 'https://evil.example.com', jwk: {} },
  ])('passes %o', (members) => {
    expect(() => screenHeader({ ...header, ...members }, config)).not.toThrow();
  });

  it.each<[object, string]>([
    [{ alg: 'none' }, 'algorithm'],
    [{ alg: 'HS256' }, 'algorithm'],
    [{ alg: 'rs256' }, 'algorithm'],
    [{ alg: 'RS512' }, 'algorithm'],
    [{ alg: undefined }, 'algorithm'],
    [{ alg: ['RS256'] }, 'algorithm'],
    [{ crit: ['exp'] }, 'critical-header'],
    [{ crit: [] }, 'critical-header'],
    [{ crit: null }, 'critical-header'],
    [{ typ: 'id+jwt' }, 'type'],
    [{ typ: 'logout+jwt' }, 'type'],
    [{ typ: '' }, 'type'],
    [{ typ: null }, 'type'],
    [{ typ: ['at+jwt'] }, 'type'],
  ])('refuses %o', (members, reason) => {
    expect(() => screenHeader({ ...header, ...members }, config)).toThrow(refusal(reason));
  });
});

describe('screenClaims', () => {
  const at = (seconds: number) => vi.setSystemTime(seconds * 1000);
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    at(now);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each<Claims>([
    {},
    { aud: 'keyward-two' },
    { aud: ['other', 'keyward'] },
    { aud: undefined, client_id: 'web' },
    { aud: 'keyward', client_id: 'other' },
    { token_use: 'access' },
    { typ: 'Bearer' },
    { nbf: now },
    { iat: now + 10_000 },
    { scope: ['openid'], scp: 'email', jti: '', unknown: {} },
  ])('passes %o', (members) => {
    expect(() => screenClaims({ ...claims, ...members }, config)).not.toThrow();
  });

  it.each<[Claims, string]>([
    [{ iss: 'https://other.example.com' }, 'issuer'],
    [{ iss: 'https://id.example.com/' }, 'issuer'],
    [{ iss: ['https://id.example.com'] }, 'issuer'],
    [{ iss: undefined }, 'issuer'],
    [{ sub: undefined }, 'subject'],
    [{ sub: '' }, 'subject'],
    [{ sub: 5 }, 'subject'],
    [{ aud: 'other' }, 'audience'],
    [{ aud: 'keyward-' }, 'audience'],
    [{ aud: [] }, 'audience'],
    [{ aud: [['keyward']] }, 'audience'],
    [{ aud: null }, 'audience'],
    [{ aud: null, client_id: 'web' }, 'audience'],
    [{ aud: 'other', client_id: 'web' }, 'audience'],
    [{ aud: 'web', client_id: 'web' }, 'audience'],
    [{ aud: undefined }, 'audience'],
    [{ aud: undefined, client_id: 'other' }, 'audience'],
    [{ aud: undefined, client_id: ['web'] }, 'audience'],
    [{ aud: undefined, azp: 'web' }, 'audience'],
    [{ nonce: 'n' }, 'id-token'],
    [{ nonce: '' }, 'id-token'],
    [{ at_hash: 'h' }, 'id-token'],
    [{ c_hash: 'h' }, 'id-token'],
    [{ token_use: 'id' }, 'id-token'],
    [{ typ: 'ID' }, 'id-token'],
    [{ typ: 'Refresh' }, 'id-token'],
    [{ exp: undefined }, 'no-expiry'],
    [{ exp: `${now + 300}` }, 'no-expiry'],
    [{ exp: null }, 'no-expiry'],
    [{ nbf: `${now}` }, 'not-yet-valid'],
    [{ nbf: null }, 'not-yet-valid'],
    [{ iat: `${now}` }, 'claim-type'],
    [{ jti: 5 }, 'claim-type'],
    [{ client_id: ['web'] }, 'claim-type'],
    [{ scope: null }, 'claim-type'],
    [{ scope: { openid: true } }, 'claim-type'],
    [{ scp: ['openid', 5] }, 'claim-type'],
    [{ scp: [['openid']] }, 'claim-type'],
  ])('refuses %o', (members, reason) => {
    expect(() => screenClaims({ ...claims, ...members }, config)).toThrow(refusal(reason));
  });

  it('a token without an audience, and no configured client id → refused', () => {
    const members = { ...claims, aud: undefined, client_id: 'web' };
    expect(() => screenClaims(members, { ...config, clientIds: [] })).toThrow(refusal('audience'));
  });

  describe('allows clocks to differ by 60 seconds', () => {
    it.each([0, 0.999])('at %d seconds past a full second', (fraction) => {
      at(now + fraction);
      expect(() => screenClaims({ ...claims, exp: now - 60 }, config)).not.toThrow();
      expect(() => screenClaims({ ...claims, exp: now - 61 }, config)).toThrow(refusal('expired'));
      expect(() => screenClaims({ ...claims, nbf: now + 60 }, config)).not.toThrow();
      expect(() => screenClaims({ ...claims, nbf: now + 61 }, config)).toThrow(refusal('not-yet-valid'));
    });
  });
});

describe('the audience of an issuer with settings of its own', () => {
  const party = { authorizedParties: ['https://app.example.com'] };
  const one = { isForOneApplication: true, audiences: [], clientIds: [] };
  const idTokens = { givesIdTokens: true };
  const none = { aud: undefined };
  const ours = { azp: 'https://app.example.com' };
  it.each<[string, Partial<IssuerConfig>, object, boolean]>([
    ['a party', party, { ...none, ...ours }, true],
    ['another party', party, { ...none, azp: 'https://evil.example.com' }, false],
    ['no party', party, none, false],
    ['a party, and another client', party, { ...none, ...ours, client_id: 'other' }, false],
    ['a party, and another audience', party, { ...ours, aud: 'other' }, false],
    ['a party where none is set', {}, { ...none, ...ours }, false],
    ['nothing, for one application', one, none, true],
    ['any party, for one application', one, { ...none, azp: 'anybody' }, true],
    ['a party of another type, for one application', one, { ...none, azp: ['a'] }, false],
    ['an audience, for one application', one, { aud: 'keyward' }, false],
    ['a client, for one application', one, { ...none, client_id: 'web' }, false],
    ['our client, for one application', { ...one, clientIds: ['web'] }, { ...none, client_id: 'web' }, true],
    ['our party, for one application', { ...one, ...party }, { ...none, ...ours }, true],
    ['no party, for one application', { ...one, ...party }, none, true],
    ['another party, for one application', { ...one, ...party }, { ...none, azp: 'other' }, false],
    ['an ID token', idTokens, { nonce: 'n' }, true],
    ['an ID token of our client alone', idTokens, { ...none, client_id: 'web' }, false],
    ['an ID token for our party', { ...idTokens, ...party }, ours, true],
    ['an ID token for another party', { ...idTokens, ...party }, { azp: 'other' }, false],
    ['an ID token for a party that is the audience', idTokens, { azp: 'keyward' }, true],
    ['an ID token of our party alone', { ...idTokens, ...party }, { ...none, ...ours }, false],
  ])('%s', (_what, settings, members, passes) => {
    const screen = () => screenClaims({ ...claims, ...members }, { ...config, ...settings });
    if (passes) expect(screen).not.toThrow();
    else expect(screen).toThrow(refusal('audience'));
  });
});

describe('required claims', () => {
  it.each<[string, readonly (string | number | boolean | null)[], object, boolean]>([
    ['role', ['a', 'b'], { role: 'b' }, true],
    ['role', ['a'], { role: 'A' }, false],
    ['role', ['a'], { role: ['a'] }, false],
    ['role', ['a'], {}, false],
    ['level', [1], { level: 1 }, true],
    ['level', [1], { level: '1' }, false],
    ['level', ['1'], { level: 1 }, false],
    ['on', [true], { on: true }, true],
    ['on', [true], { on: 'true' }, false],
    ['on', [false, null], {}, true],
    ['on', [false, null], { on: null }, false],
    ['on', [false, null], { on: 0 }, false],
    ['on', [null], { on: false }, false],
    ['a.b', ['c'], { a: { b: 'c' } }, true],
    ['a.b', ['c'], { 'a.b': 'c' }, true],
    ['a.b', ['c'], { 'a.b': 'd', a: { b: 'c' } }, false],
    ['a.b', ['c'], { a: [{ b: 'c' }] }, false],
    ['a.b', [null], { a: 'c' }, true],
    ['a.b.c', ['d'], { a: { b: { c: 'd' } } }, true],
    ['https://a.example/role', ['c'], { 'https://a.example/role': 'c' }, true],
    ['constructor', [null], {}, true],
    ['toString.name', ['toString'], {}, false],
    ['a.length', [1], { a: 'c' }, false],
  ])('%s must be of %j: %j → %s', (name, values, members, passes) => {
    const requiredClaims = new Map([[name, values]]);
    const screen = () => screenClaims({ ...claims, ...members }, { ...config, requiredClaims });
    if (passes) expect(screen).not.toThrow();
    else expect(screen).toThrow(refusal('required-claim'));
  });
});
