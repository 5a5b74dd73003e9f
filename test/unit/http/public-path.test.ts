import { describe, expect, it } from 'vitest';
import { metadataPath } from '../../../src/auth/resource-metadata.ts';
import { keySetPath, serverMetadataPath } from '../../../src/auth/server-metadata.ts';
import { isAtOrBelow, ownPaths } from '../../../src/config/values/public-path.ts';
import { developmentIssuer } from '../../../src/dev/issuer.ts';
import { authorizePath } from '../../../src/door/authorize/problem.ts';
import { beginExchange, graphqlPath } from '../../../src/http/exchange.ts';
import { withoutPublicPath, withPublicPath } from '../../../src/http/public-path.ts';
import { elementsPath } from '../../../src/pages/elements.ts';
import { assetsPath } from '../../../src/pages/page-files.ts';
import { callbackPath, pages } from '../../../src/pages/pages.ts';
import { basePath } from '../../../src/rest/routes.ts';

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
    ['/keyward/nowhere', '/nowhere'],
    ['/keyward//console', '//console'],
    ['/keyward/keyward/console', '/keyward/console'],
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
    '/Keyward/console',
    '/%6beyward/console',
    '/x/keyward/console',
    '/console?x=/keyward/graphql',
    '/.well-known/oauth-protected-resource/keyward',
    '*',
    '',
  ])('%s stays', (target) => {
    expect(withoutPublicPath('/keyward')(target)).toBe(target);
  });
});

it('each path of ours is among those that PUBLIC_URL must not be like', () => {
  const all = [
    ...Object.values(pages).map(({ path }) => path),
    ...[callbackPath, assetsPath, elementsPath, graphqlPath, basePath, authorizePath],
    ...[metadataPath, serverMetadataPath, keySetPath, '/health/live', '/health/ready'],
    new URL(developmentIssuer({ host: '127.0.0.1', port: 4000 })).pathname,
  ];
  expect(all.filter((path) => !ownPaths.some((own) => isAtOrBelow(path, own)))).toEqual([]);
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
