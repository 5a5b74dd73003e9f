import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigError, isSecureUrl, loadConfig } from '../../src/config.ts';

type Environment = Record<string, string>;

const issuer = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward' };

const faultsOf = (environment: Environment): string[] => {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first, ...faults] = error.message.split('\n');
    expect(first).toBe('Keyward cannot start with this configuration:');
    return faults.map((fault) => fault.trim());
  }
};

const variables = [
  ...['NODE_ENV', 'HOST', 'PORT', 'DATA_DIR', 'DATABASE_URL', 'LOG_LEVEL', 'GRAPHQL_INTROSPECTION'],
  ...['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_CLIENT_ID', 'AUTH_ALGORITHMS', 'AUTH_SCOPE_ALIASES'],
  ...['SESSION_DURATION_MIN', 'SESSION_DURATION_MAX'],
];

describe('defaults', () => {
  const defaults = {
    production: false,
    host: '127.0.0.1',
    port: 4000,
    dataDir: 'data',
    databaseFile: 'data/keyward.db',
    issuer: undefined,
    algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
    sessionDuration: { min: 60, max: 86_400 },
    introspection: true,
    logLevel: 'info',
  };

  it('are complete: nothing need be set', () => {
    expect(loadConfig({})).toEqual(defaults);
  });

  it.each(['', '   '])('hold where every variable is set to %j', (nothing) => {
    expect(loadConfig(Object.fromEntries(variables.map((name) => [name, nothing])))).toEqual(defaults);
  });
});

describe('values', () => {
  it.each<[Environment, object]>([
    [
      { HOST: '::1', PORT: '0' },
      { host: '::1', port: 0 },
    ],
    [{ PORT: '65535' }, { port: 65_535 }],
    [{ DATA_DIR: '/srv/keyward' }, { dataDir: '/srv/keyward', databaseFile: '/srv/keyward/keyward.db' }],
    [{ DATABASE_URL: 'sqlite::memory:' }, { databaseFile: ':memory:' }],
    [
      { DATABASE_URL: 'sqlite:/srv/k.db', DATA_DIR: '/var' },
      { databaseFile: '/srv/k.db', dataDir: '/var' },
    ],
    [
      { SESSION_DURATION_MIN: '300', SESSION_DURATION_MAX: '300' },
      { sessionDuration: { min: 300, max: 300 } },
    ],
    [{ GRAPHQL_INTROSPECTION: 'off' }, { introspection: false }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
    [{ NODE_ENV: 'production', ...issuer }, { production: true }],
    [{ AUTH_ALGORITHMS: 'ES256, RS256' }, { algorithms: ['ES256', 'RS256'] }],
  ])('%o', (environment, expected) => {
    expect(loadConfig(environment)).toMatchObject(expected);
  });

  it('of an identity provider are put together', () => {
    const environment = {
      AUTH_ISSUER: 'https://id.example.com/realms/one/',
      AUTH_AUDIENCE: 'keyward, other,,',
      AUTH_CLIENT_ID: 'web',
      AUTH_ALGORITHMS: 'ES256',
      AUTH_SCOPE_ALIASES: 'aws.cognito.signin.user.admin=idp.signin.user.admin, mail=email',
    };
    expect(loadConfig(environment).issuer).toEqual({
      issuer: 'https://id.example.com/realms/one/',
      audiences: ['keyward', 'other'],
      clientIds: ['web'],
      algorithms: ['ES256'],
      scopeAliases: new Map([
        ['aws.cognito.signin.user.admin', 'idp.signin.user.admin'],
        ['mail', 'email'],
      ]),
    });
  });
});

describe('faults', () => {
  const port = 'PORT must be a whole number from 0 to 65535';
  const seconds = 'must be a whole number from 1 to 999999999';
  const url = 'AUTH_ISSUER must be a URL, such as https://id.example.com';
  const https = 'AUTH_ISSUER must begin with https:// (plain http:// is for this machine only)';
  const algorithm = /^AUTH_ALGORITHMS may only name RS256, .*, ES512$/;
  const alias = /^AUTH_SCOPE_ALIASES must be pairs/;

  it.each<[string, string, string | RegExp]>([
    ['PORT', 'http', port],
    ['PORT', '-1', port],
    ['PORT', '65536', port],
    ['PORT', '80.5', port],
    ['PORT', '0x50', port],
    ['DATABASE_URL', 'postgres://user:secret@db/keyward', /^DATABASE_URL must be sqlite:/],
    ['DATABASE_URL', 'sqlite:', /^DATABASE_URL must be sqlite:/],
    ['SESSION_DURATION_MIN', '0', `SESSION_DURATION_MIN ${seconds}`],
    ['SESSION_DURATION_MIN', '1h', `SESSION_DURATION_MIN ${seconds}`],
    ['SESSION_DURATION_MAX', '1000000000', `SESSION_DURATION_MAX ${seconds}`],
    ['GRAPHQL_INTROSPECTION', 'true', 'GRAPHQL_INTROSPECTION must be "on" or "off"'],
    ['LOG_LEVEL', 'verbose', 'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent'],
    ['AUTH_ISSUER', 'id.example.com', url],
    ['AUTH_ISSUER', 'http://id.example.com', https],
    ['AUTH_ISSUER', 'http://10.0.0.1', https],
    ['AUTH_ISSUER', 'http://127.0.0.1.example.com', https],
    ['AUTH_ISSUER', 'ftp://id.example.com', https],
    ['AUTH_ALGORITHMS', 'HS256', algorithm],
    ['AUTH_ALGORITHMS', 'RS256,HS512', algorithm],
    ['AUTH_ALGORITHMS', 'none', algorithm],
    ['AUTH_ALGORITHMS', 'rs256', algorithm],
    ['AUTH_ALGORITHMS', ',', 'AUTH_ALGORITHMS must name at least one algorithm'],
    ['AUTH_SCOPE_ALIASES', 'email', alias],
    ['AUTH_SCOPE_ALIASES', 'a=b=c', alias],
    ['AUTH_SCOPE_ALIASES', 'mail=email,=openid', alias],
  ])('%s=%s is refused', (name, value, fault) => {
    const faults = faultsOf({ ...issuer, [name]: value });
    expect(faults).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)]);
  });

  it.each<[string, Environment, string]>([
    ['bounds that cross', { SESSION_DURATION_MIN: '61', SESSION_DURATION_MAX: '60' }, 'SESSION_DURATION_MIN'],
    ['a maximum below the default minimum', { SESSION_DURATION_MAX: '59' }, 'SESSION_DURATION_MIN must not'],
    ['production without an issuer', { NODE_ENV: 'production' }, 'AUTH_ISSUER must be set in production'],
    [
      'production with an audience alone',
      { NODE_ENV: 'production', AUTH_AUDIENCE: 'keyward' },
      'AUTH_ISSUER must be set in production',
    ],
    [
      'an issuer for any audience',
      { AUTH_ISSUER: 'https://id.example.com' },
      'AUTH_AUDIENCE or AUTH_CLIENT_ID',
    ],
    [
      'an issuer with an audience that names nothing',
      { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: ' , ' },
      'AUTH_AUDIENCE or AUTH_CLIENT_ID must be set',
    ],
    ['an audience without an issuer', { AUTH_AUDIENCE: 'keyward' }, 'AUTH_ISSUER must be set beside'],
    ['a client id without an issuer', { AUTH_CLIENT_ID: 'web' }, 'AUTH_ISSUER must be set beside'],
    ['another address without an issuer', { HOST: '192.168.1.5' }, 'HOST must be'],
    ['another name without an issuer', { HOST: 'gateway.example.com' }, 'HOST must be'],
    ['a name like an address without an issuer', { HOST: '127.example.com' }, 'HOST must be'],
  ])('%s', (_what, environment, fault) => {
    expect(faultsOf(environment)).toEqual([expect.stringContaining(fault)]);
  });

  it('are not seen in what is their good twin', () => {
    expect(faultsOf({ ...issuer, HOST: '192.168.1.5', NODE_ENV: 'production' })).toEqual([]);
    expect(faultsOf({ AUTH_ISSUER: 'http://localhost:9000', AUTH_CLIENT_ID: 'web' })).toEqual([]);
    expect(faultsOf({ HOST: '0.0.0.0' })).toEqual([]);
  });

  it('are reported all at once', () => {
    const faults = faultsOf({
      NODE_ENV: 'production',
      PORT: 'http',
      DATABASE_URL: 'mysql:',
      LOG_LEVEL: 'loud',
      AUTH_ALGORITHMS: 'HS256',
      SESSION_DURATION_MIN: '90',
      SESSION_DURATION_MAX: '80',
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'PORT',
      'DATABASE_URL',
      'AUTH_ALGORITHMS',
      'LOG_LEVEL',
      'SESSION_DURATION_MIN',
      'AUTH_ISSUER',
    ]);
  });

  it('repeat no value', () => {
    const canary = 'c4n4ry';
    const faults = faultsOf(Object.fromEntries(variables.map((name) => [name, `${canary} =`])));
    expect(faults.length).toBeGreaterThan(7);
    expect(faults.join('\n')).not.toContain(canary);
  });
});

describe('the file .env', () => {
  const home = process.cwd();
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keyward-config-'));
    process.chdir(folder);
    // What the file adds to the environment goes away with the stubs.
    for (const name of variables) vi.stubEnv(name, undefined);
  });
  afterEach(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  });

  it('need not be there', () => {
    vi.stubEnv('PORT', '4100');
    expect(loadConfig()).toMatchObject({ port: 4100, host: '127.0.0.1' });
  });

  it('adds to the environment and overrides nothing of it', () => {
    writeFileSync('.env', 'PORT=4200\nHOST=::1\n');
    vi.stubEnv('PORT', '4100');
    expect(loadConfig()).toMatchObject({ port: 4100, host: '::1' });
  });
});

describe('isSecureUrl', () => {
  it.each([
    ['https://id.example.com', true],
    ['http://localhost:4000/idp', true],
    ['http://127.0.0.1:4000', true],
    ['http://127.8.9.10', true],
    ['http://[::1]:4000', true],
    ['http://id.example.com', false],
    ['http://localhost.example.com', false],
    ['http://127.0.0.1.example.com', false],
    ['http://10.0.0.1', false],
    ['http://[::2]', false],
    ['ftp://localhost', false],
    ['file:///etc/passwd', false],
  ])('%s → %s', (url, secure) => {
    expect(isSecureUrl(new URL(url))).toBe(secure);
  });
});
