import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createFindServer, readServerSignIn } from '../../../src/auth/servers.ts';
import { checksum } from '../../../src/secrets/checksum.ts';
import { createServerSecret, digestOfServerSecret } from '../../../src/secrets/server-secret.ts';
import { basic, createServer } from '../../support/servers.ts';

const crypto = process.getBuiltinModule('node:crypto');

const servers = [
  createServer('checkout', 'keys.verify'),
  createServer('billing', 'accounts.entitle'),
  createServer('checkout', 'keyward.admin'),
];
const [first, second, third] = servers as [(typeof servers)[0], (typeof servers)[0], (typeof servers)[0]];

describe('the secret of a server', () => {
  it('has a beginning, 256 random bits and a checksum', () => {
    const secrets = Array.from({ length: 100 }, createServerSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^kws_[0-9a-f]{72}$/);
      expect(secret.slice(-8)).toBe(checksum(secret.slice(0, -8)));
    }
  });

  it('has the digest that `openssl dgst -sha256` prints', () => {
    expect(digestOfServerSecret('kws_development').toString('hex')).toBe(
      '25fb17c20cbdd9ba7822b3db275233a23ab430306f54ac6c6c79bcc238aaa1d5',
    );
  });
});

describe('a search for a server', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const find = createFindServer(servers);

  it('finds each by its secret, with its own scopes', () => {
    expect(servers.map(({ secret }) => find({ name: undefined, secret }))).toMatchObject([
      { server: 'checkout', scopes: new Set(['keys.verify']) },
      { server: 'billing', scopes: new Set(['accounts.entitle']) },
      { server: 'checkout', scopes: new Set(['keyward.admin']) },
    ]);
    expect(find({ name: 'checkout', secret: third.secret })?.scopes).toEqual(new Set(['keyward.admin']));
  });

  it('gives the same object for each request of a server, by which its requests are counted', () => {
    const { secret } = first;
    expect(find({ name: undefined, secret })).toBe(find({ name: 'checkout', secret }));
  });

  it.each(['', 'word', 'KWS_word'])('never finds one by %j, even if its digest is configured', (secret) => {
    const weak = createFindServer([{ ...first, digest: digestOfServerSecret(secret) }]);
    expect(weak({ name: 'checkout', secret })).toBeUndefined();
    expect(weak({ name: undefined, secret })).toBeUndefined();
  });

  it.each([
    ['the first', { name: undefined, secret: first.secret }],
    ['the last', { name: 'checkout', secret: third.secret }],
    ['none', { name: undefined, secret: createServerSecret() }],
    ['none of this name', { name: 'billing', secret: first.secret }],
    ['none of no name', { name: '', secret: second.secret }],
    ['none, without a secret', { name: 'billing', secret: '' }],
  ])('compares as much when it finds %s', (_which, given) => {
    const compare = vi.spyOn(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    find(given);
    expect(compare).toHaveBeenCalledTimes(servers.length);
  });
});

describe('what a server signs in with', () => {
  it.each([
    [{}, undefined],
    [{ authorization: '' }, undefined],
    [{ authorization: 'Bearer' }, undefined],
    [{ authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.AA' }, undefined],
    [{ authorization: 'Digest kws_a' }, undefined],
    [{ authorization: 'kws_a' }, undefined],
    [{ authorization: 'bearer   kws_a ' }, { name: undefined, secret: 'kws_a' }],
    [{ authorization: basic('a', 'b') }, { name: 'a', secret: 'b' }],
    [{ authorization: basic('a', 'b:c') }, { name: 'a', secret: 'b:c' }],
    [{ authorization: basic('ä', 'ß') }, { name: 'ä', secret: 'ß' }],
    [{ authorization: basic('\ufeffa', 'b') }, { name: '\ufeffa', secret: 'b' }],
    [{ authorization: `BASIC ${basic('a', 'b').slice(6)}` }, { name: 'a', secret: 'b' }],
    [{ authorization: 'Basic !' }, { name: '', secret: '' }],
    [{ authorization: 'Basic /w==' }, { name: '', secret: '' }],
  ])('%j → %j', (headers, signIn) => {
    expect(readServerSignIn(headers)).toEqual(signIn);
  });
});
