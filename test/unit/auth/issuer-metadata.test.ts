import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyReader } from '../../../src/auth/trusted-issuer.ts';
import { UnusableKeySet } from '../../../src/auth/verification-key.ts';
import type { IssuerConfig } from '../../../src/config/config.ts';
import { plainIssuer } from '../../../src/config/issuers.ts';
import { startProvider } from './provider-server.ts';

let provider: Awaited<ReturnType<typeof startProvider>>;
beforeEach(async () => {
  provider = await startProvider();
});
afterEach(() => provider[Symbol.asyncDispose]());

const jwk = (kid: string, members: object = {}) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
  ...members,
});

const configOf = (issuer: string, jwksUri?: string): IssuerConfig => ({
  issuer,
  jwksUri,
  audiences: ['keyward'],
  clientIds: [],
  algorithms: ['ES256'],
  ...plainIssuer,
  scopeAliases: new Map(),
  grants: ['keyward.admin', 'keys.verify'],
});

/** Reads the keys of the issuer, which publishes them where its metadata say, unless a place is configured. */
const read = (issuer: string, jwksUri?: string) => createKeyReader(configOf(issuer, jwksUri))();

const wellKnown = '/.well-known/openid-configuration';

/** Answers metadata, an error status where there are none, and at any other path a key set. */
const publish = (metadata: unknown, keySet: unknown = { keys: [jwk('one')] }) =>
  provider.answerWith(({ url }, response) => {
    const document = url?.endsWith(wellKnown) ? metadata : keySet;
    if (document === undefined) response.statusCode = 404;
    response.end(JSON.stringify(document));
  });

describe('the metadata', () => {
  it.each(['', '/', '/realms/one', '/realms/one/'])(
    'say where the keys of an issuer with the path %j are',
    async (path) => {
      const issuer = provider.url + path;
      publish({ issuer, jwks_uri: `${provider.url}/jwks`, more: 1 });
      expect((await read(issuer)).map(({ kid }) => kid)).toEqual(['one']);
      expect(provider.requests).toEqual([path.replace(/\/$/, '') + wellKnown, '/jwks']);
    },
  );

  it('name another issuer → refused', async () => {
    publish({ issuer: 'https://other.example.com', jwks_uri: `${provider.url}/jwks` });
    await expect(read(provider.url)).rejects.toThrow('names the issuer https://other.example.com');
    expect(provider.requests).toEqual([wellKnown]);
  });

  it('name the issuer with a slash at its end → refused', async () => {
    publish({ issuer: `${provider.url}/`, jwks_uri: `${provider.url}/jwks` });
    await expect(read(provider.url)).rejects.toThrow('names the issuer');
  });

  it.each<[string, (url: string) => unknown]>([
    ['nothing', () => ({})],
    ['a list', () => []],
    ['null', () => null],
    ['no issuer', (url) => ({ jwks_uri: `${url}/jwks` })],
    ['no place', (url) => ({ issuer: url })],
    ['a place that is no URL', (url) => ({ issuer: url, jwks_uri: 'jwks' })],
  ])('are refused if they hold %s', async (_what, metadata) => {
    publish(metadata(provider.url));
    await expect(read(provider.url)).rejects.toThrow();
    expect(provider.requests).toEqual([wellKnown]);
  });

  it('are never read over plain HTTP from another machine', async () => {
    await expect(read('http://id.example.com')).rejects.toThrow(
      'not HTTPS: http://id.example.com/.well-known',
    );
  });

  it('are read each time, so that keys at a new address are found', async () => {
    publish({ issuer: provider.url, jwks_uri: `${provider.url}/old` });
    const readAgain = createKeyReader(configOf(provider.url));
    await readAgain();
    publish({ issuer: provider.url, jwks_uri: `${provider.url}/new` });
    expect((await readAgain()).map(({ kid }) => kid)).toEqual(['one']);
    expect(provider.requests).toEqual([wellKnown, '/old', wellKnown, '/new']);
  });

  it.each<[string, unknown]>([
    ['gone', undefined],
    ["another issuer's", { issuer: 'https://other.example.com', jwks_uri: 'https://other.example.com/jwks' }],
  ])('can no longer be used → the keys are read from the earlier address: %s', async (_what, metadata) => {
    publish({ issuer: provider.url, jwks_uri: `${provider.url}/jwks` });
    const readAgain = createKeyReader(configOf(provider.url));
    await readAgain();
    publish(metadata);
    expect((await readAgain()).map(({ kid }) => kid)).toEqual(['one']);
    expect(provider.requests).toEqual([wellKnown, '/jwks', wellKnown, '/jwks']);
  });
});

describe('a configured address of the keys', () => {
  it('is read in place of the metadata', async () => {
    publish(undefined);
    expect((await read('https://id.example.com', `${provider.url}/keys`)).map(({ kid }) => kid)).toEqual([
      'one',
    ]);
    expect(provider.requests).toEqual(['/keys']);
  });

  it('is used again after a failure', async () => {
    publish(undefined, {});
    const readAgain = createKeyReader(configOf('https://id.example.com', `${provider.url}/keys`));
    await expect(readAgain()).rejects.toThrow();
    publish(undefined);
    expect((await readAgain()).map(({ kid }) => kid)).toEqual(['one']);
    expect(provider.requests).toEqual(['/keys', '/keys']);
  });
});

describe('the key set', () => {
  const readKeys = () => read(provider.url, `${provider.url}/jwks`);

  it('has the usable keys, in their order', async () => {
    provider.answerJson({ keys: [jwk('one'), jwk('encryption', { use: 'enc' }), null, jwk('two'), {}] });
    expect((await readKeys()).map(({ kid }) => kid)).toEqual(['one', 'two']);
  });

  it('no usable key → refused, with the reason for each', async () => {
    const none = 'no key of the set can be used';
    provider.answerJson({ keys: [] });
    await expect(readKeys()).rejects.toThrow(new UnusableKeySet([]));
    provider.answerJson({ keys: [jwk('one', { use: 'enc' }), jwk('two', { alg: 'ES384' })] });
    const reasons = 'the key "one" has `use` "enc"; the key "two" has `alg` "ES384"';
    await expect(readKeys()).rejects.toThrow(`${none}: ${reasons}`);
  });

  it.each([{}, { keys: {} }, { keys: null }, [], 'keys'])('%o → refused', async (keySet) => {
    provider.answerJson(keySet);
    await expect(readKeys()).rejects.toThrow();
  });

  it('is never read over plain HTTP from another machine', async () => {
    publish({ issuer: provider.url, jwks_uri: 'http://id.example.com/jwks' });
    await expect(read(provider.url)).rejects.toThrow('not HTTPS: http://id.example.com/jwks');
  });
});
