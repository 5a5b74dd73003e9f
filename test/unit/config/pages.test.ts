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

  it("say whose service it is, in the operator's words", () => {
    const given = { PROVIDER_NAME: ' Example API ', PROVIDER_SENTENCE: 'Manage your <keys>.' };
    expect(loadConfig(given).pages).toMatchObject({
      providerName: 'Example API',
      providerSentence: 'Manage your <keys>.',
    });
  });

  it('link to the pages of the provider, in one order', () => {
    const given = {
      PROVIDER_LINKS:
        'terms=https://example.com/terms, support=mailto:help@example.com,documentation=http://localhost/docs',
    };
    expect(loadConfig(given).pages.providerLinks).toEqual([
      { name: 'documentation', url: 'http://localhost/docs' },
      { name: 'support', url: 'mailto:help@example.com' },
      { name: 'terms', url: 'https://example.com/terms' },
    ]);
  });

  it('have languages, the first of which is for everybody else', () => {
    expect(loadConfig({ CONSOLE_LOCALES: 'de-AT, en-GB' }).pages.consoleLocales).toEqual(['de-AT', 'en-GB']);
  });

  it('have a logo only with a name, which screen readers say', () => {
    const logo = { PROVIDER_LOGO: '/etc/keyward/logo.svg' };
    expect(() => loadConfig(logo)).toThrow('PROVIDER_NAME must be set with PROVIDER_LOGO');
    // The commands that show no page need no such file.
    expect(loadConfig({ ...logo, PROVIDER_NAME: 'Example' }).pages.providerLogo).toBe(logo.PROVIDER_LOGO);
  });

  it.each([
    [{ PROVIDER_COLOR: 'green' }, 'PROVIDER_COLOR must be a colour of six hexadecimal digits'],
    [{ PROVIDER_COLOR: '#0b5' }, 'PROVIDER_COLOR must be a colour'],
    [{ PROVIDER_COLOR: '#0b5d57;}' }, 'PROVIDER_COLOR must be a colour'],
    [{ CONSOLE_LOCALES: 'de_DE' }, 'CONSOLE_LOCALES must be language tags'],
    [{ CONSOLE_LOCALES: 'german' }, 'CONSOLE_LOCALES must be language tags'],
    [{ CONSOLE_LOCALES: 'en,de,en' }, 'CONSOLE_LOCALES must be 1 to 50 language tags, each once'],
    [{ CONSOLE_LOCALES: ',' }, 'CONSOLE_LOCALES must be 1 to 50 language tags'],
    [{ PROVIDER_LINKS: 'https://example.com' }, 'PROVIDER_LINKS must be pairs of a name'],
    [{ PROVIDER_LINKS: 'imprint=https://example.com' }, 'PROVIDER_LINKS must be pairs of a name'],
    [{ PROVIDER_LINKS: 'terms=javascript:alert(1)' }, 'PROVIDER_LINKS must be pairs of a name'],
    [{ PROVIDER_LINKS: 'terms=http://example.com' }, 'PROVIDER_LINKS must be pairs of a name'],
    [{ PROVIDER_LINKS: 'terms=https:example.com/terms' }, 'PROVIDER_LINKS must be pairs of a name'],
    [{ PROVIDER_LINKS: 'terms=https://example.com/?a=1,2' }, 'with %2C for a comma'],
    [{ PROVIDER_LINKS: 'terms=/terms' }, 'PROVIDER_LINKS must be pairs of a name'],
    [
      { PROVIDER_LINKS: 'terms=https://a.example,terms=https://b.example' },
      'PROVIDER_LINKS must have each name once',
    ],
    [{ PROVIDER_NAME: 'a'.repeat(61) }, 'PROVIDER_NAME must have at most 60 characters'],
    [{ PROVIDER_SENTENCE: 'a'.repeat(201) }, 'PROVIDER_SENTENCE must have at most 200 characters'],
    [{ PROVIDER_SENTENCE: 'a\nb' }, 'PROVIDER_SENTENCE must be one line'],
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
