import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { secretVariables } from '../../support/secrets.ts';

const issuer = {
  AUTH_ISSUER: 'https://id.example.com',
  AUTH_AUDIENCE: 'keyward',
  ...secretVariables(),
};

describe('pages for a browser', () => {
  it('can be switched off one by one', () => {
    expect(loadConfig({ GRAPHIQL: 'off' }).pages.shown).toEqual(['console', 'reference']);
    expect(loadConfig({ CONSOLE: 'off', API_REFERENCE: 'off' }).pages.shown).toEqual(['graphiql']);
  });

  it('sign in as a client of the identity provider, with its extra parameters', () => {
    const given = {
      AUTH_BROWSER_CLIENT_ID: 'pages',
      AUTH_BROWSER_PARAMETERS: 'audience=k, resource=a:b?c=d',
    };
    expect(loadConfig({ ...issuer, ...given }).pages.signIn).toEqual({
      clientId: 'pages',
      parameters: { audience: 'k', resource: 'a:b?c=d' },
    });
  });

  it.each([
    [{ AUTH_BROWSER_CLIENT_ID: 'pages' }, 'AUTH_ISSUER (or AUTH_ISSUERS) must be set with'],
    [{ ...issuer, AUTH_BROWSER_PARAMETERS: 'a=b' }, 'AUTH_BROWSER_CLIENT_ID must be set with'],
    [
      { ...issuer, AUTH_BROWSER_CLIENT_ID: 'pages', AUTH_BROWSER_PARAMETERS: 'audience' },
      'AUTH_BROWSER_PARAMETERS must be pairs of a name and a value',
    ],
  ])('refuse %j', (environment, fault) => {
    expect(() => loadConfig(environment)).toThrow(fault);
  });
});
