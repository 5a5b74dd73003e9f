import { describe, expect, it } from 'vitest';
import { beginExchange } from '../../../src/http/exchange.ts';
import { withoutPublicPath, withPublicPath } from '../../../src/http/public-path.ts';

describe('the path of PUBLIC_URL in a request', () => {
  it.each([
    ['/keyward', '/'],
    ['/keyward/', '/'],
    ['/keyward?x=/keyward', '/?x=/keyward'],
    ['/keyward/?x', '/?x'],
    ['/keyward/console', '/console'],
    ['/keyward/console?organization=a', '/console?organization=a'],
    ['/keyward/graphql?query={a}', '/graphql?query={a}'],
    ['/keyward/api/v1/auth/keys/1', '/api/v1/auth/keys/1'],
    ['/keyward/api/v1/keys/authorize', '/api/v1/keys/authorize'],
    ['/keyward/health/ready', '/health/ready'],
    ['/keyward/.well-known/jwks.json', '/.well-known/jwks.json'],
    ['/keyward/assets/a.js', '/assets/a.js'],
    ['/keyward/elements/keyward.js', '/elements/keyward.js'],
    ['/keyward/sign-in/callback?code=1', '/sign-in/callback?code=1'],
  ])('%s is taken away: %s', (target, rest) => {
    expect(withoutPublicPath('/keyward')(target)).toBe(rest);
  });

  it.each([
    '/',
    '/console',
    '/api/v1/auth/keys',
    '/keywardx/console',
    '/keyward.console',
    '/keyward%2fconsole',
    '/keyward//console',
    '/Keyward/console',
    '/%6beyward/console',
    '/keyward/keyward/console',
    '/keyward/nowhere',
    '/x/keyward/console',
    '/console?x=/keyward/graphql',
    '/.well-known/oauth-protected-resource/keyward',
    '*',
    '',
  ])('%s stays', (target) => {
    expect(withoutPublicPath('/keyward')(target)).toBe(target);
  });

  it.each([
    ['/api/v1/keys/self', '/api/v1/keys/self'],
    ['/api/api/v1/keys/self', '/api/v1/keys/self'],
    ['/api/console', '/console'],
    ['/api', '/'],
  ])('that Keyward has too, /api: %s → %s', (target, rest) => {
    expect(withoutPublicPath('/api')(target)).toBe(rest);
  });

  it('is nothing at the root of a host', () => {
    for (const target of ['/', '', '//', '/console', '/keyward/console', '*'])
      expect(withoutPublicPath('')(target)).toBe(target);
  });
});

describe('the path of PUBLIC_URL in an answer', () => {
  const referTo = (headers: Record<string, string>) => {
    const exchange = beginExchange({ method: 'GET', url: '/', headers: {} }, null);
    return withPublicPath('/a/b')(exchange, { status: 200, headers, body: '' }).headers;
  };

  it('comes before each path that it refers to', () => {
    expect(referTo({ location: '/api/v1/auth/keys/1' })).toEqual({ location: '/a/b/api/v1/auth/keys/1' });
    expect(referTo({ link: '</api/v1/auth/keys?cursor=%2F>; rel="next", </x>; rel="y"' })).toEqual({
      link: '</a/b/api/v1/auth/keys?cursor=%2F>; rel="next", </a/b/x>; rel="y"',
    });
  });

  it('comes before no URL, and in no other field', () => {
    const headers = {
      location: 'https://id.example.com/console',
      link: '<https://id.example.com/>; rel="help"',
      allow: 'GET',
      'www-authenticate': 'Bearer realm="/"',
    };
    expect(referTo({ ...headers })).toEqual(headers);
  });
});
