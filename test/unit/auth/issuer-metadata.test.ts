import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverJwksUri, fetchVerificationKeys } from '../../../src/auth/issuer-metadata.ts';
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

describe('discoverJwksUri', () => {
  it.each(['', '/', '/realms/one', '/realms/one/'])('finds the key set of an issuer at %j', async (path) => {
    const issuer = provider.url + path;
    provider.answerJson({ issuer, jwks_uri: 'https://id.example.com/jwks', more: 1 });
    expect(await discoverJwksUri(issuer)).toBe('https://id.example.com/jwks');
    expect(provider.requests).toEqual([`${path.replace(/\/$/, '')}/.well-known/openid-configuration`]);
  });

  it('refuses metadata that name another issuer', async () => {
    provider.answerJson({ issuer: 'https://other.example.com', jwks_uri: 'https://id.example.com/jwks' });
    await expect(discoverJwksUri(provider.url)).rejects.toThrow('names the issuer https://other.example.com');
  });

  it('takes no slash for granted', async () => {
    provider.answerJson({ issuer: `${provider.url}/`, jwks_uri: 'https://id.example.com/jwks' });
    await expect(discoverJwksUri(provider.url)).rejects.toThrow('names the issuer');
  });

  it.each([
    {},
    [],
    null,
    { jwks_uri: 'https://id.example.com/jwks' },
    { issuer: 'x' },
    { issuer: 'x', jwks_uri: 'jwks' },
  ])('refuses %o', async (metadata) => {
    provider.answerJson(metadata);
    await expect(discoverJwksUri(provider.url)).rejects.toThrow();
  });

  it('asks no issuer over plain HTTP outside this machine', async () => {
    await expect(discoverJwksUri('http://id.example.com')).rejects.toThrow('not HTTPS');
  });
});

describe('fetchVerificationKeys', () => {
  it('keeps the usable keys, by their id', async () => {
    provider.answerJson({ keys: [jwk('one'), jwk('encryption', { use: 'enc' }), null, jwk('two'), {}] });
    const keys = await fetchVerificationKeys(`${provider.url}/jwks`);
    expect([...keys].map(([kid, key]) => [kid, key.kid])).toEqual([
      ['one', 'one'],
      ['two', 'two'],
    ]);
  });

  it('may find none', async () => {
    provider.answerJson({ keys: [] });
    expect(await fetchVerificationKeys(provider.url)).toEqual(new Map());
  });

  it.each([{}, { keys: {} }, { keys: null }, [], 'keys'])('refuses %o', async (keySet) => {
    provider.answerJson(keySet);
    await expect(fetchVerificationKeys(provider.url)).rejects.toThrow();
  });

  it('asks nobody over plain HTTP outside this machine, whatever the metadata say', async () => {
    await expect(fetchVerificationKeys('http://id.example.com/jwks')).rejects.toThrow('not HTTPS');
  });
});
