import { describe, expect, it } from 'vitest';
import { createRouteMatcher, type Route } from '../../../src/rest/routes.ts';

const routes = {
  readKey: { method: 'GET', path: '/keys/{key_id}' },
  changeKey: { method: 'PUT', path: '/keys/{key_id}' },
  endKey: { method: 'DELETE', path: '/keys/{key_id}' },
  defaultKey: { method: 'GET', path: '/keys/default' },
  changeDefaultKey: { method: 'PUT', path: '/keys/default' },
  readUse: { method: 'GET', path: '/keys/{key_id}/uses/{use_id}' },
  openApi: { method: 'GET', path: '/openapi.json' },
  makeKey: { method: 'POST', path: '/keys' },
} as const satisfies Record<string, Route>;

const match = createRouteMatcher(routes);

describe('a route', () => {
  it.each([
    ['GET', '/keys/5', 'readKey', { key_id: '5' }],
    ['PUT', '/keys/5', 'changeKey', { key_id: '5' }],
    ['DELETE', '/keys/health', 'endKey', { key_id: 'health' }],
    ['GET', '/keys/5/uses/6', 'readUse', { key_id: '5', use_id: '6' }],
    ['GET', '/keys/a%2Fb', 'readKey', { key_id: 'a%2Fb' }],
    ['GET', '/keys/%ZZ', 'readKey', { key_id: '%ZZ' }],
    ['POST', '/keys', 'makeKey', {}],
    ['GET', '/openapi.json', 'openApi', {}],
  ] as const)('%s %s → %s', (method, path, field, parameters) => {
    const found = match(method, path);
    expect(found).toMatchObject({ field, route: routes[field] });
    expect(Object.fromEntries(found.parameters)).toEqual(parameters);
  });

  it.each([
    ['GET', 'defaultKey'],
    ['PUT', 'changeDefaultKey'],
  ])('without a parameter goes before one with a parameter: %s', (method, field) => {
    expect(match(method, '/keys/default').field).toBe(field);
  });

  it('a path with a parameter is found if the literal path has another method', () => {
    expect(match('DELETE', '/keys/default').field).toBe('endKey');
  });

  it('is found in any order of the table', () => {
    const reversed = createRouteMatcher(Object.fromEntries(Object.entries(routes).reverse()));
    expect(reversed('GET', '/keys/default').field).toBe('defaultKey');
  });
});

describe('an unknown path → 404', () => {
  it.each([
    '',
    '/',
    '/key',
    '/keys/',
    '/keys//',
    '/keys/5/',
    '//keys/5',
    '/x/keys/5',
    '/KEYS/5',
    '/keys/5/uses',
    '/openapi-json',
    '/openapi.json/x',
    '/webhook',
    '/toString',
  ])('%j', (path) => {
    expect(() => match('GET', path)).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', message: 'Not Found' }),
    );
  });
});

describe('a known path with another method → 405', () => {
  it.each([
    ['POST', '/keys/5', 'DELETE, GET, HEAD, PUT'],
    ['TRACE', '/keys/5', 'DELETE, GET, HEAD, PUT'],
    ['get', '/keys/5', 'DELETE, GET, HEAD, PUT'],
    ['GET', '/keys', 'POST'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['POST', '/keys/default', 'DELETE, GET, HEAD, PUT'],
  ])('%s %s → Allow: %s', (method, path, allow) => {
    expect(() => match(method, path)).toThrow(
      expect.objectContaining({
        code: 'METHOD_NOT_ALLOWED',
        message: 'Method Not Allowed',
        headers: { allow },
      }),
    );
  });
});
