import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createTemporaryFolder } from '../../support/process.ts';
import { secretVariables } from '../../support/secrets.ts';

/** A PNG of one pixel, in base64. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

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

  it.each([
    ['logo.svg', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10"/>', 'image/svg+xml', 30, 10],
    [
      'a.png',
      '<?xml version="1.0"?>\n<!-- by hand -->\n<svg width="7" height="9"></svg>',
      'image/svg+xml',
      7,
      9,
    ],
    ['logo', Buffer.from(pixel, 'base64'), 'image/png', 1, 1],
  ])('show a logo, by its bytes: %s', async (name, content, mediaType, width, height) => {
    await using folder = await createTemporaryFolder();
    const path = join(folder.path, name);
    writeFileSync(path, content);
    const { providerLogo } = loadConfig({ PROVIDER_LOGO: path }).pages;
    expect(providerLogo).toMatchObject({ mediaType, width, height });
    expect(providerLogo?.content.equals(Buffer.from(content))).toBe(true);
  });

  it.each([
    ['no image', 'logo'],
    ['nothing', ''],
    ['a page with an image', '<html><svg width="1" height="2"></svg></html>'],
    ['an image without a size', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['an image of no size', '<svg width="0" height="0"></svg>'],
    ['a damaged image', Buffer.from(pixel, 'base64').subarray(0, 12)],
    ['a GIF', Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')],
  ])('refuse a logo that is %s', async (_what, content) => {
    await using folder = await createTemporaryFolder();
    const path = join(folder.path, 'logo.svg');
    writeFileSync(path, content);
    expect(() => loadConfig({ PROVIDER_LOGO: path })).toThrow('PROVIDER_LOGO must name an image: SVG');
  });

  it('refuse a logo that is too large, or cannot be read', async () => {
    await using folder = await createTemporaryFolder();
    const path = join(folder.path, 'logo.svg');
    writeFileSync(path, `<svg width="1" height="1">${' '.repeat(102_400)}</svg>`);
    expect(() => loadConfig({ PROVIDER_LOGO: path })).toThrow('names a file of more than 102400 bytes');
    expect(() => loadConfig({ PROVIDER_LOGO: `${path}x` })).toThrow('that cannot be read (ENOENT)');
    expect(() => loadConfig({ PROVIDER_LOGO: folder.path })).toThrow('that cannot be read (EISDIR)');
  });

  it.each([
    [{ PROVIDER_COLOR: 'green' }, 'PROVIDER_COLOR must be a colour of six hexadecimal digits'],
    [{ PROVIDER_COLOR: '#0b5' }, 'PROVIDER_COLOR must be a colour'],
    [{ PROVIDER_COLOR: '#0b5d57;}' }, 'PROVIDER_COLOR must be a colour'],
    [{ PROVIDER_LINKS: 'https://example.com' }, 'PROVIDER_LINKS must be pairs of a name'],
    [{ PROVIDER_LINKS: 'imprint=https://example.com' }, 'PROVIDER_LINKS must be pairs of a name'],
    [{ PROVIDER_LINKS: 'terms=javascript:alert(1)' }, 'PROVIDER_LINKS must be pairs of a name'],
    [{ PROVIDER_LINKS: 'terms=http://example.com' }, 'PROVIDER_LINKS must be pairs of a name'],
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
