import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

const edgeOf = (environment: Record<string, string>) => loadConfig(environment).edge;

describe('TRUST_PROXY', () => {
  it('is a list of addresses and ranges', () => {
    expect(edgeOf({ TRUST_PROXY: '10.0.0.0/8, loopback,2001:db8::1' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      'loopback',
      '2001:db8::1',
    ]);
  });

  it.each(['on', '*', '1', 'proxy.example.com', '10.0.0.0/33'])('cannot be %s', (text) => {
    expect(() => edgeOf({ TRUST_PROXY: text })).toThrow(ConfigError);
  });
});

describe('CORS_ORIGINS', () => {
  it('is a list of origins', () => {
    const CORS_ORIGINS = 'https://app.example.com, http://localhost:5173';
    expect(edgeOf({ CORS_ORIGINS }).corsOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
    ]);
  });

  it.each([
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'app://-',
    'app://obsidian.md',
    'vscode-webview://1cq5e9thk3n0s2hc6fhq0kljbnq3jumc',
    'chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb',
    'moz-extension://7f1d1c1e-9b7c-4a64-a1a7-5b1b6f0d7c11',
    'safari-web-extension://E5A1F2D0-6C7B-4D2A-8E0B-5F0C6D7E8F90',
    'capacitor://localhost:8080',
    'http://localhost',
    'https://localhost',
  ])('can be %s, as a page of an app or an extension sends it', (text) => {
    expect(edgeOf({ CORS_ORIGINS: text }).corsOrigins).toEqual([text]);
  });

  it.each([
    ...['capacitor://localhost/', 'Capacitor://localhost', 'capacitor:localhost', 'capacitor:/localhost'],
    ...[
      'capacitor://',
      'capacitor://local*',
      'chrome-extension://*',
      '*://localhost',
      'app://a/b',
      'app://a?b',
    ],
    ...['app://a#b', 'app://alice@a', 'app://a:0080', 'app://a:99999', 'app://a"b', 'app://a%20b', 'app://ä'],
    ...['app:// a', 'tauri://localhost:', 'ws://localhost', 'wss://localhost', 'ftp://localhost'],
    ...['blob:https://a.example', 'blob://a', 'data://a', 'javascript://a', 'about://a', 'file://localhost'],
    ...['filesystem://a', 'FILE://localhost', '1app://a', '-app://a', 'null://', 'https:app.example.com'],
    '*',
    'null',
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com:443',
    'https://*.example.com',
    'https://APP.example.com',
    'https://alice@app.example.com',
    'https://exa"mple.com',
    'https://app..example.com',
    'file:///index.html',
    'https://app.example.com,*',
  ])('cannot be %s', (text) => {
    expect(() => edgeOf({ CORS_ORIGINS: text })).toThrow(/CORS_ORIGINS/);
  });
});

describe('API_KEY_HEADER', () => {
  it.each(['X-API-Key', 'apikey', 'Ocp-Apim-Subscription-Key', 'x'.repeat(64)])('can be %s', (name) => {
    expect(edgeOf({ API_KEY_HEADER: name }).apiKeyHeader).toBe(name);
  });

  it.each([
    ...['Authorization', 'authorization', 'Host', 'Cookie', 'Connection', 'X-Forwarded-For', 'traceparent'],
    ...['X-Keyward-User', 'X-Request-Id', 'Content-Type', 'If-Match', 'User-Agent', 'Idempotency-Key'],
    ...['X_API_Key', 'X-API-Key:', 'X API Key', 'X-API-Key,Authorization', '-x', 'x-', 'x--y', '1'],
    'x'.repeat(65),
  ])('cannot be %s', (name) => {
    expect(() => edgeOf({ API_KEY_HEADER: name })).toThrow(/API_KEY_HEADER/);
  });
});

describe('HSTS_MAX_AGE', () => {
  it.each([
    [{}, undefined],
    [{ PUBLIC_URL: 'http://keys.example.com', HSTS_MAX_AGE: '60' }, undefined],
    [{ PUBLIC_URL: 'https://keys.example.com' }, 31_536_000],
    [{ PUBLIC_URL: 'https://keys.example.com', HSTS_MAX_AGE: '0' }, 0],
  ])('applies only if PUBLIC_URL begins with https: %j', (environment, seconds) => {
    expect(edgeOf(environment).hstsMaxAge).toBe(seconds);
  });
});

describe('RATE_LIMIT_…', () => {
  it('is a number of requests in a number of seconds', () => {
    const { rates } = edgeOf({ RATE_LIMIT_ADDRESS: '300/60', RATE_LIMIT_API_KEY: '5/1' });
    expect(rates).toMatchObject({
      address: { requests: 300, seconds: 60 },
      apiKey: { requests: 5, seconds: 1 },
    });
  });

  it('by default, limits accounts only', () => {
    expect(edgeOf({}).rates).toEqual({ account: { requests: 600, seconds: 60 } });
  });

  it.each(['ADDRESS', 'ACCOUNT', 'VERIFIER', 'API_KEY'])('can be off: %s', (kind) => {
    const all = ['ADDRESS', 'ACCOUNT', 'VERIFIER', 'API_KEY'].map((each) => [`RATE_LIMIT_${each}`, '1/60']);
    const { rates } = edgeOf({ ...Object.fromEntries(all), [`RATE_LIMIT_${kind}`]: 'off' });
    expect(Object.values(rates).filter((rate) => rate === undefined)).toHaveLength(1);
  });

  it.each([
    '300',
    '300/',
    '/60',
    '0/60',
    '300/0',
    '-1/60',
    '1.5/60',
    '300/60/1',
    '300/60s',
    '1e3/60',
    'OFF',
    'none',
  ])('cannot be %s', (text) =>
    expect(() => edgeOf({ RATE_LIMIT_ACCOUNT: text })).toThrow(/RATE_LIMIT_ACCOUNT/),
  );
});
