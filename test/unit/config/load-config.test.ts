import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { environmentSchema, type VariableName } from '../../../src/config/environment.ts';
import { plainIssuer } from '../../../src/config/issuers.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createAssertionKey, writeAssertionKey } from '../../../src/secrets/assertion-keys.ts';
import { secretText, secretVariables } from '../../support/secrets.ts';

type Environment = Record<string, string>;

const secrets = secretVariables();
const issuer = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward', ...secrets };

const faultsOf = (environment: Environment): string[] => {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first, ...faults] = error.message.split('\n');
    expect(first).toBe('Keyward cannot start with this configuration:');
    return faults.map((fault) => {
      const [, problem = '', name, example] = /^ {2}((\w+) .+)\. Example: \2=(\S.*)$/.exec(fault) ?? [];
      expect(example).toBe(environmentSchema.shape[name as VariableName].meta()?.example);
      return problem;
    });
  }
};

/** Writes files to a folder that each test has to itself. */
const writeFiles = () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keyward-config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  return (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
};

const variables = Object.keys(environmentSchema.shape);

describe('defaults', () => {
  const defaults = {
    ignored: [],
    production: false,
    host: '127.0.0.1',
    port: 4000,
    dataDir: 'data',
    database: {
      url: 'sqlite:data/keyward.db',
      migrateAtStart: true,
      poolSize: 10,
      statements: 'named',
      timeouts: { connect: 3000, statement: 4000, idleInTransaction: 5000 },
    },
    doorGrace: 0,
    secrets: undefined,
    assertions: { keys: undefined, audiences: undefined, seconds: 60 },
    workers: 1,
    publicUrl: undefined,
    logsAddress: false,
    issuers: [],
    algorithms: [
      'RS256',
      'RS384',
      'RS512',
      'PS256',
      'PS384',
      'PS512',
      'ES256',
      'ES384',
      'ES512',
      'EdDSA',
      'Ed25519',
    ],
    sessionDuration: { min: 60, max: 86_400 },
    automationDefaults: { isEnabled: null, sessionDuration: null },
    apiKeysPerAccount: 1000,
    apiKeyDays: { usual: null, most: null },
    plansFile: undefined,
    changesPerDay: 2000,
    apiKeyUsageDays: 90,
    endedApiKeysDays: 365,
    apiKeyPrefix: 'sk-',
    leakReports: undefined,
    apiKeyPermissions: null,
    sealApiKeys: false,
    servers: [],
    http: {
      body: 65_536,
      headers: 16_384,
      connections: 10_000,
      timeouts: { headers: 10_000, request: 12_000, answer: 30_000, keepAlive: 65_000 },
    },
    shutdownDelay: 0,
    introspection: true,
    documentCost: 5000,
    webhooks: { endpoints: [], allowedHosts: [] },
    operators: false,
    pages: {
      shown: ['console', 'graphiql', 'reference'],
      signIn: undefined,
      providerName: undefined,
      providerSentence: undefined,
      providerLogo: undefined,
      providerColor: undefined,
      providerLinks: [],
      consoleLocales: ['en-GB'],
      providerMessages: undefined,
    },
    edge: {
      publicPath: '',
      trustedProxies: [],
      corsOrigins: [],
      apiKeyHeader: undefined,
      hstsMaxAge: undefined,
      rates: {
        address: undefined,
        account: { requests: 600, seconds: 60 },
        verifier: undefined,
        apiKey: undefined,
      },
      exemptAddresses: [],
      maxInFlight: 200,
    },
    logLevel: 'info',
    metrics: undefined,
    tracing: undefined,
  };

  it('apply if nothing is set', () => {
    expect(loadConfig({})).toStrictEqual(defaults);
  });

  it.each(['', '   '])('apply if every variable is set to %j', (nothing) => {
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
    [{ ...issuer, WORKERS: '4', DATABASE_URL: 'postgres://db/keyward' }, { workers: 4 }],
    [{ DATA_DIR: '/srv/keyward' }, { database: { url: 'sqlite:/srv/keyward/keyward.db' } }],
    [{ DATABASE_URL: 'sqlite::memory:' }, { database: { url: 'sqlite::memory:' } }],
    [{ DATABASE_URL: 'sqlite:/srv/k.db', DATA_DIR: '/var' }, { database: { url: 'sqlite:/srv/k.db' } }],
    [{ DOOR_GRACE_SECONDS: '30' }, { doorGrace: 30_000 }],
    [{ DOOR_GRACE_SECONDS: '3600' }, { doorGrace: 3_600_000 }],
    [{ PUBLIC_URL: 'https://gateway.example.com' }, { publicUrl: 'https://gateway.example.com' }],
    [{ PUBLIC_URL: 'https://gateway.example.com:8443/' }, { publicUrl: 'https://gateway.example.com:8443' }],
    [{ PUBLIC_URL: 'http://gateway.internal' }, { publicUrl: 'http://gateway.internal' }],
    [{ PUBLIC_URL: 'https://schlüssel.example.' }, { publicUrl: 'https://xn--schlssel-95a.example.' }],
    [{ PUBLIC_URL: 'http://[2001:DB8::1]:4000' }, { publicUrl: 'http://[2001:db8::1]:4000' }],
    [{ PUBLIC_URL: 'http://key_ward:4000' }, { publicUrl: 'http://key_ward:4000', edge: { publicPath: '' } }],
    ...[
      ['/keyward', '/keyward'],
      ['/keyward/', '/keyward'],
      ['/a/b-c/_d~1.x/', '/a/b-c/_d~1.x'],
      ['/api/keyward', '/api/keyward'],
      ['/api/v1x', '/api/v1x'],
      ['/keyward/api/v1', '/keyward/api/v1'],
      ['/Console', '/Console'],
      ['/x/../keyward', '/keyward'],
      ['/.', ''],
      ['/%2e%2e/', ''],
    ].map(([path, publicPath]): [Environment, object] => [
      { PUBLIC_URL: `https://api.example.com${path}` },
      { publicUrl: `https://api.example.com${publicPath}`, edge: { publicPath } },
    ]),
    [
      { AUTOMATION_DEFAULT_ENABLED: 'off', AUTOMATION_DEFAULT_SESSION_DURATION: '60' },
      { automationDefaults: { isEnabled: false, sessionDuration: 60 } },
    ],
    [
      { SESSION_DURATION_MIN: '300', SESSION_DURATION_MAX: '300' },
      { sessionDuration: { min: 300, max: 300 } },
    ],
    [{ ADMIN: 'on' }, { operators: true }],
    [{ GRAPHQL_INTROSPECTION: 'off' }, { introspection: false }],
    [{ HTTP_MAX_BODY: '1024', HTTP_MAX_HEADERS: '4096' }, { http: { body: 1024, headers: 4096 } }],
    [
      { HTTP_HEADERS_TIMEOUT: '3', HTTP_REQUEST_TIMEOUT: '4' },
      { http: { timeouts: { headers: 3000, request: 4000 } } },
    ],
    // A part never has longer than the whole.
    [{ HTTP_REQUEST_TIMEOUT: '5' }, { http: { timeouts: { headers: 5000, request: 5000 } } }],
    [
      { HTTP_ANSWER_TIMEOUT: '60', HTTP_KEEP_ALIVE_TIMEOUT: '5' },
      { http: { timeouts: { answer: 60_000, keepAlive: 5000 } } },
    ],
    [{ GRAPHQL_MAX_COST: '9' }, { documentCost: 9 }],
    [{ SHUTDOWN_DELAY: '5' }, { shutdownDelay: 5000 }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
    [{ METRICS_PORT: '9464' }, { metrics: { host: '127.0.0.1', port: 9464 } }],
    [{ METRICS_PORT: '9464', METRICS_HOST: '::' }, { metrics: { host: '::', port: 9464 } }],
    [{ METRICS_HOST: '::' }, { metrics: undefined }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' },
      { tracing: { sampler: 'parentbased_always_on', ratio: 1, timeout: 2000 } },
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318',
        OTEL_EXPORTER_OTLP_TIMEOUT: '500',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
      },
      { tracing: { sampler: 'traceidratio', ratio: 0.25, timeout: 500 } },
    ],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, { tracing: undefined }],
    [{ NODE_ENV: 'production', ...issuer }, { production: true }],
    [{ AUTH_ALGORITHMS: 'ES256, RS256' }, { algorithms: ['ES256', 'RS256'] }],
  ])('%o', (environment, expected) => {
    expect(loadConfig(environment)).toMatchObject(expected);
  });

  it('the AUTH_ variables → one issuer with all its settings', () => {
    const environment = {
      ...secrets,
      AUTH_ISSUER: 'https://id.example.com/realms/one/',
      AUTH_JWKS_URI: 'https://keys.example.com/one',
      AUTH_AUDIENCE: 'keyward, other,,',
      AUTH_CLIENT_ID: 'web',
      AUTH_ALGORITHMS: 'ES256',
      AUTH_SCOPE_ALIASES:
        'aws.cognito.signin.user.admin=idp.signin.user.admin, mail=email, all=openid, all=profile',
    };
    expect(loadConfig(environment).issuers).toEqual([
      {
        issuer: 'https://id.example.com/realms/one/',
        jwksUri: 'https://keys.example.com/one',
        audiences: ['keyward', 'other'],
        clientIds: ['web'],
        algorithms: ['ES256'],
        ...plainIssuer,
        scopeAliases: new Map([
          ['aws.cognito.signin.user.admin', ['idp.signin.user.admin']],
          ['mail', ['email']],
          ['all', ['openid', 'profile']],
        ]),
        grants: [
          'keyward.admin',
          'keyward.audit',
          'keys.verify',
          'keys.import',
          'accounts.act',
          'accounts.entitle',
        ],
      },
    ]);
  });
});

describe('AUTH_ISSUERS', () => {
  const one = { issuer: 'https://one.example.com', audience: 'keyward' };
  const two = { issuer: 'https://two.example.com', clientId: 'web' };
  const given = (list: unknown, environment: Environment = {}): Environment => ({
    ...secrets,
    ...environment,
    AUTH_ISSUERS: JSON.stringify(list),
  });
  const issuersOf = (environment: Environment) => loadConfig(environment).issuers;

  it('is a list of issuers, each with its settings', () => {
    const list = [
      {
        issuer: 'https://one.example.com/',
        jwksUri: 'https://keys.example.com/one',
        audience: ['keyward', 'other'],
        clientId: 'web, app,,',
        scopeAliases: 'mail=email',
      },
      two,
    ];
    expect(issuersOf(given(list, { AUTH_ALGORITHMS: 'ES256' }))).toEqual([
      {
        issuer: 'https://one.example.com/',
        jwksUri: 'https://keys.example.com/one',
        audiences: ['keyward', 'other'],
        clientIds: ['web', 'app'],
        algorithms: ['ES256'],
        ...plainIssuer,
        scopeAliases: new Map([['mail', ['email']]]),
        grants: [],
      },
      {
        issuer: 'https://two.example.com',
        jwksUri: undefined,
        audiences: [],
        clientIds: ['web'],
        algorithms: ['ES256'],
        ...plainIssuer,
        scopeAliases: new Map(),
        grants: [],
      },
    ]);
  });

  const both = [
    'keyward.admin',
    'keyward.audit',
    'keys.verify',
    'keys.import',
    'accounts.act',
    'accounts.entitle',
  ];

  it.each<[string, Environment, readonly (readonly string[])[]]>([
    ['one, of which nothing is said', given([one]), [both]],
    ['one, of which something is said', given([{ ...one, grants: 'keys.verify' }]), [['keys.verify']]],
    ['AUTH_ISSUER alone', { ...secrets, ...issuer }, [both]],
    ['several, of which nothing is said', given([one, two]), [[], []]],
    ['AUTH_ISSUER and another', given([one], issuer), [[], []]],
    [
      'several with grants',
      given([
        { ...one, grants: both },
        { ...two, grants: ['keys.verify'] },
      ]),
      [both, ['keys.verify']],
    ],
    [
      'AUTH_ISSUER and another with grants',
      given([{ ...one, grants: both.toReversed().join() }], issuer),
      [[], both.toReversed()],
    ],
  ])('decides which scopes over other accounts an issuer may grant: %s', (_what, environment, grants) => {
    expect(issuersOf(environment).map((each) => each.grants)).toEqual(grants);
  });

  it('with several issuers and ADMIN=on, must say which issuer grants keyward.admin', () => {
    const admin = { ADMIN: 'on' };
    const fault = /^AUTH_ISSUERS must list "keyward\.admin" in the "grants" of an issuer if ADMIN=on/;
    for (const environment of [
      given([one, two], admin),
      given([{ ...one, grants: 'keys.verify' }], { ...admin, ...issuer }),
    ])
      expect(faultsOf(environment)).toEqual([expect.stringMatching(fault)]);
    for (const environment of [given([one], admin), given([one, { ...two, grants: 'keyward.admin' }], admin)])
      expect(() => loadConfig(environment)).not.toThrow();
  });

  it.each([
    ['a text', 'keyward, other', ['keyward', 'other']],
    ['a list', ['keyward', 'other'], ['keyward', 'other']],
    ['a list, a name in it with a comma', ['api://keyward,v1'], ['api://keyward,v1']],
  ])('accepts an audience as %s', (_what, audience, audiences) => {
    expect(issuersOf(given([{ ...one, audience }]))).toMatchObject([{ audiences }]);
  });

  it('beside AUTH_ISSUER → both are used, and AUTH_SCOPE_ALIASES applies to AUTH_ISSUER only', () => {
    const environment = given([one, two], { ...issuer, AUTH_SCOPE_ALIASES: 'mail=email' });
    expect(
      issuersOf(environment).map((each) => [each.issuer, each.audiences, each.scopeAliases.size]),
    ).toEqual([
      ['https://id.example.com', ['keyward'], 1],
      ['https://one.example.com', ['keyward'], 0],
      ['https://two.example.com', [], 0],
    ]);
  });

  it('is enough in production, and with any host', () => {
    const environment = given([one], { NODE_ENV: 'production', HOST: 'gateway.example.com' });
    expect(issuersOf(environment)).toHaveLength(1);
  });

  const list = 'AUTH_ISSUERS must be a JSON list of issuers';
  const belonging =
    'audience or a clientId or authorizedParties must be given: else a token for any other service would do';
  const https = 'must begin with https:// (http:// is allowed for this machine only)';
  const members =
    'may only have the members issuer, jwksUri, audience, clientId, authorizedParties, tokens, scopeClaims, scopeAliases, people, require, organization, grants';
  const nobody = 'must not have a user name or password';

  it.each<[string, string, string]>([
    ['malformed JSON', '[{', list],
    ['a text', 'https://one.example.com', list],
    ['an object', JSON.stringify(one), list],
    ['null', 'null', list],
    ['no issuer', '[]', 'AUTH_ISSUERS must name at least one issuer'],
    ['an unknown member', JSON.stringify([{ ...one, audiences: 'x' }]), `0 ${members}`],
    ['a secret for a member', JSON.stringify([{ ...one, c4n4ry: 'x' }]), `0 ${members}`],
    ['no URL', JSON.stringify([{ audience: 'keyward' }]), 'AUTH_ISSUERS 0 issuer must be a URL'],
    ['a URL of another type', JSON.stringify([one, { ...two, issuer: 5 }]), 'AUTH_ISSUERS 1 issuer must be'],
    ['http', JSON.stringify([{ ...one, issuer: 'http://id.example.com' }]), `AUTH_ISSUERS 0 issuer ${https}`],
    ['a password', JSON.stringify([{ ...one, issuer: 'https://a:b@id.example.com' }]), `0 issuer ${nobody}`],
    ['keys by http', JSON.stringify([{ ...one, jwksUri: 'http://k.example.com' }]), `0 jwksUri ${https}`],
    [
      'neither audience nor client id',
      JSON.stringify([one, { issuer: two.issuer }]),
      `AUTH_ISSUERS 1 ${belonging}`,
    ],
    ['an audience that names nothing', JSON.stringify([{ ...one, audience: ' , ' }]), belonging],
    ['an empty list of audiences', JSON.stringify([{ ...one, audience: [] }]), belonging],
    ['a list with an empty audience', JSON.stringify([{ ...one, audience: [''] }]), belonging],
    [
      'an audience that is none',
      JSON.stringify([{ ...one, audience: 5 }]),
      '0 audience must be a text or a list',
    ],
    [
      'aliases that are none',
      JSON.stringify([{ ...one, scopeAliases: 'mail' }]),
      '0 scopeAliases must be pairs',
    ],
    [
      'a grant that is none',
      JSON.stringify([{ ...one, grants: ['openid'] }]),
      '0 grants may only name keyward.admin, keyward.audit, keys.verify, keys.import, accounts.act, accounts.entitle',
    ],
    ['grants as an object', JSON.stringify([{ ...one, grants: {} }]), '0 grants must be a text or a list'],
    ['aliases as an object', JSON.stringify([{ ...one, scopeAliases: {} }]), '0 scopeAliases must be a text'],
    [
      'a scope over others for people',
      JSON.stringify([{ ...one, people: ['openid', 'keys.verify'] }]),
      '0 people may only name openid, email, profile, idp.signin.user.admin',
    ],
    [
      'an unknown scope for people',
      JSON.stringify([{ ...one, people: 'admin' }]),
      '0 people may only name openid',
    ],
    [
      'no claim for scopes',
      JSON.stringify([{ ...one, scopeClaims: [] }]),
      '0 scopeClaims must name at least',
    ],
    [
      'tokens of no kind',
      JSON.stringify([{ ...one, tokens: 'refresh' }]),
      '0 tokens must be "access" or "id"',
    ],
    [
      'a list of required claims',
      JSON.stringify([{ ...one, require: ['a'] }]),
      '0 require must be an object',
    ],
    ['a required object', JSON.stringify([{ ...one, require: { a: {} } }]), '0 require a '],
    ['no required value', JSON.stringify([{ ...one, require: { a: [] } }]), '0 require a '],
    [
      'a required claim without a name',
      JSON.stringify([{ ...one, require: { '': 'a' } }]),
      '0 require must be',
    ],
    [
      'any audience beside another',
      JSON.stringify([{ ...one, audience: 'any,keyward' }]),
      '0 audience must be "any" alone',
    ],
    [
      'any audience and ID tokens',
      JSON.stringify([{ ...one, audience: 'any', tokens: 'id' }]),
      '0 audience must name the audiences of ID tokens',
    ],
    [
      'ID tokens and only a client id',
      JSON.stringify([{ issuer: two.issuer, clientId: 'web', tokens: 'id' }]),
      '0 audience must name the audiences of ID tokens',
    ],
    ...[
      'https://accounts.google.com',
      'https://login.microsoftonline.com/common/v2.0',
      'https://login.microsoftonline.com/00000000-1111-2222-3333-444444444444/v2.0',
      'https://sts.windows.net/00000000-1111-2222-3333-444444444444/',
      'https://appleid.apple.com',
      'https://token.actions.githubusercontent.com',
      'https://gitlab.com',
      'https://api.workos.com',
      'https://api.workos.com/',
    ].map((issuer): [string, string, string] => [
      `any audience of ${issuer}`,
      JSON.stringify([{ issuer, audience: 'any' }]),
      '0 audience must not be "any" for an issuer that many applications share',
    ]),
    ['an issuer twice', JSON.stringify([one, two, { ...one, audience: 'b' }]), 'must name each issuer once'],
  ])('is refused with %s', (_what, text, fault) => {
    expect(faultsOf({ ...secrets, AUTH_ISSUERS: text })).toEqual([expect.stringContaining(fault)]);
  });

  it('has settings for issuers of other kinds', () => {
    const settings = {
      audience: 'any',
      authorizedParties: ['https://app.example.com'],
      scopeClaims: 'roles,permissions',
      people: ['openid', 'email'],
      require: { role: 'authenticated', n: [1, false, null] },
    };
    const issuer = 'https://api.workos.com/user_management/client_1';
    const [found] = issuersOf(given([{ issuer, ...settings }]));
    expect(found).toMatchObject({
      audiences: [],
      authorizedParties: ['https://app.example.com'],
      isForOneApplication: true,
      givesIdTokens: false,
      scopeClaims: ['roles', 'permissions'],
      people: ['openid', 'email'],
      requiredClaims: new Map<string, unknown[]>([
        ['role', ['authenticated']],
        ['n', [1, false, null]],
      ]),
    });
    const single = issuersOf({
      ...secrets,
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: 'any',
      AUTH_AUTHORIZED_PARTIES: 'https://app.example.com',
      AUTH_SCOPE_CLAIMS: 'roles,permissions',
      AUTH_PEOPLE: 'openid,email',
      AUTH_REQUIRE: '{"role": "authenticated", "n": [1, false, null]}',
    });
    expect(single).toEqual([found]);
  });

  it('a number in place of an issuer → refused with a message', () => {
    expect(faultsOf(given([one, 5]))).toEqual([expect.stringMatching(/^AUTH_ISSUERS 1 must be /)]);
  });

  it('may use plain HTTP on this machine', () => {
    const local = { ...one, issuer: 'http://localhost:9000', jwksUri: 'http://127.0.0.1:9000/jwks' };
    expect(issuersOf(given([local]))).toHaveLength(1);
  });

  it('may not name the issuer of AUTH_ISSUER again', () => {
    const again = { issuer: issuer.AUTH_ISSUER, audience: 'other' };
    expect(faultsOf(given([one, again], issuer))).toEqual([
      'AUTH_ISSUERS must not name the issuer of AUTH_ISSUER again',
    ]);
  });

  it('beside AUTH_AUDIENCE without AUTH_ISSUER → refused', () => {
    expect(faultsOf(given([one], { AUTH_AUDIENCE: 'keyward' }))).toEqual([
      expect.stringMatching(/^AUTH_ISSUER must be set with /),
    ]);
  });

  it('several faults → all are listed at once', () => {
    const faults = faultsOf(
      given([
        { ...one, jwksUri: 'keys' },
        { issuer: 'id', audience: 5, secret: 'c4n4ry' },
      ]),
    );
    expect(faults.map((fault) => fault.split(' ').slice(0, 3).join(' ')).sort()).toEqual([
      'AUTH_ISSUERS 0 jwksUri',
      'AUTH_ISSUERS 1 audience',
      'AUTH_ISSUERS 1 issuer',
      'AUTH_ISSUERS 1 may',
    ]);
    expect(faults.join('\n')).not.toContain('c4n4ry');
  });
});

describe('the database', () => {
  const write = writeFiles();
  const postgres = 'postgres://keyward:secret@db.example.com:5432/keyward?sslmode=verify-full';
  const databaseOf = (environment: Environment) => loadConfig(environment).database;

  it.each([postgres, 'postgresql://db/keyward', 'postgres://[::1]/keyward'])('may be %s', (url) => {
    expect(databaseOf({ DATABASE_URL: url }).url).toBe(url);
  });

  it('may be named in a file', () => {
    const DATABASE_URL_FILE = write('database-url', `${postgres}\n`);
    expect(databaseOf({ DATABASE_URL_FILE })).toMatchObject({ url: postgres, migrateAtStart: false });
    expect(databaseOf({ ...issuer, WORKERS: '2', DATABASE_URL_FILE }).url).toBe(postgres);
    expect(faultsOf({ DATABASE_URL: postgres, DATABASE_URL_FILE })).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE must not both be set',
    ]);
    expect(faultsOf({ DATABASE_URL_FILE: write('no-url', 'mysql://user:secret@db/keyward') })).toEqual([
      expect.stringMatching(/^DATABASE_URL_FILE must be sqlite:/),
    ]);
  });

  it.each<[string, Environment, boolean]>([
    ['SQLite', {}, true],
    ['SQLite, told to', { DATABASE_MIGRATE: 'auto' }, true],
    ['SQLite, told not to', { DATABASE_MIGRATE: 'check' }, false],
    ['PostgreSQL', { DATABASE_URL: postgres }, false],
    ['PostgreSQL, told to', { DATABASE_URL: postgres, DATABASE_MIGRATE: 'auto' }, true],
    ['PostgreSQL, told not to', { DATABASE_URL: postgres, DATABASE_MIGRATE: 'check' }, false],
  ])(
    'is migrated at the start if told to, or by default for SQLite: %s',
    (_what, environment, migrateAtStart) => {
      expect(databaseOf(environment)).toMatchObject({ migrateAtStart });
    },
  );

  it('has a pool size, and timeouts that are set in seconds and used in milliseconds', () => {
    expect(
      databaseOf({
        DATABASE_URL: postgres,
        DATABASE_POOL_SIZE: '25',
        DATABASE_STATEMENTS: 'unnamed',
        DATABASE_CONNECT_TIMEOUT: '1',
        DATABASE_STATEMENT_TIMEOUT: '20',
        DATABASE_IDLE_TRANSACTION_TIMEOUT: '600',
      }),
    ).toMatchObject({
      poolSize: 25,
      statements: 'unnamed',
      timeouts: { connect: 1000, statement: 20_000, idleInTransaction: 600_000 },
    });
  });
});

describe('the secrets', () => {
  const write = writeFiles();
  const missing = (name: string) => `${name} (or ${name}_FILE) must be set: VERSION:SECRET`;
  const both = [missing('KEY_PEPPERS'), missing('KEY_ENCRYPTION_KEYS')];
  const provider = { AUTH_ISSUER: issuer.AUTH_ISSUER, AUTH_AUDIENCE: issuer.AUTH_AUDIENCE };
  const versionsOf = (environment: Environment) => {
    const { peppers, encryptionKeys } = loadConfig(environment).secrets ?? {};
    return [peppers, encryptionKeys].map((list) => list?.map(({ version }) => version));
  };

  it('in the environment → read in their order', () => {
    const environment = { KEY_PEPPERS: secretText([2, 1]), KEY_ENCRYPTION_KEYS: secretText([5, 4, 3]) };
    const versions = [
      [2, 1],
      [5, 4, 3],
    ];
    expect(versionsOf(environment)).toEqual(versions);
    expect(versionsOf({ ...provider, ...environment })).toEqual(versions);
  });

  it('may also come from files', () => {
    const environment = {
      ...provider,
      KEY_PEPPERS_FILE: write('peppers', `${secretText([2, 1])}\r\n`),
      KEY_ENCRYPTION_KEYS: secretText([3]),
    };
    expect(versionsOf(environment)).toEqual([[2, 1], [3]]);
  });

  it.each<[string, Environment, string[]]>([
    ['in production', { ...provider, NODE_ENV: 'production' }, both],
    ['with an issuer', provider, both],
    ['beside the other kind', { KEY_PEPPERS: secrets.KEY_PEPPERS }, [missing('KEY_ENCRYPTION_KEYS')]],
    [
      'beside a file of the other kind that cannot be read',
      { KEY_ENCRYPTION_KEYS_FILE: '/nowhere/at/all' },
      ['KEY_ENCRYPTION_KEYS_FILE names a file that cannot be read (ENOENT)', missing('KEY_PEPPERS')],
    ],
  ])('are required %s', (_where, environment, faults) => {
    expect(faultsOf(environment)).toEqual(faults);
  });

  it('both in a variable and in a file → refused', () => {
    const files = {
      KEY_PEPPERS_FILE: write('peppers', secretText()),
      KEY_ENCRYPTION_KEYS_FILE: write('keys', secretText()),
    };
    expect(faultsOf({ ...issuer, ...files })).toEqual([
      'KEY_PEPPERS and KEY_PEPPERS_FILE must not both be set',
      'KEY_ENCRYPTION_KEYS and KEY_ENCRYPTION_KEYS_FILE must not both be set',
    ]);
  });

  it('the same secret for both purposes → refused', () => {
    const shared = randomBytes(32);
    const environment = {
      KEY_PEPPERS: `${secretText([4])},3:${shared.toString('base64')}`,
      KEY_ENCRYPTION_KEYS_FILE: write('keys', `1:${shared.toString('base64url')}`),
    };
    expect(faultsOf(environment)).toEqual([
      'KEY_PEPPERS version 3 and KEY_ENCRYPTION_KEYS version 1 must not have the same secret',
    ]);
  });

  it('never appear in error messages', () => {
    const [one, two] = [randomBytes(32).toString('base64'), randomBytes(31).toString('base64')];
    const faults = faultsOf({
      KEY_PEPPERS: `1:${one},2:${one},${one}`,
      KEY_ENCRYPTION_KEYS_FILE: write('keys', `1:${two}\n1:${one}\n${one}:1`),
    }).join('\n');
    expect(faults).toContain('KEY_PEPPERS versions 1 and 2 must not');
    expect(faults).toContain('KEY_ENCRYPTION_KEYS_FILE version 1 has 31 bytes');
    for (const secret of [one, two]) expect(faults).not.toContain(secret.slice(0, 6));
  });
});

describe('assertions', () => {
  const write = writeFiles();
  const entry = (kid: string, algorithm?: 'ES256' | 'EdDSA') =>
    writeAssertionKey(createAssertionKey(kid, algorithm));
  const others = {
    ...issuer,
    ASSERTION_AUDIENCE: 'https://api.example.com, reports',
    PUBLIC_URL: 'https://keys.example.com',
  };
  const load = (keys: string, more = {}) =>
    loadConfig({ ...others, ASSERTION_KEYS: keys, ...more }).assertions;
  const faultOf = (keys: string, more: object = {}): string => {
    try {
      load(keys, more);
      return 'none';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('are signed by keys of both kinds, for audiences, for a time', () => {
    const { keys, audiences, seconds } = load(`${entry('a')}, ${entry('b', 'EdDSA')}`, {
      ASSERTION_SECONDS: '5',
    });
    expect(keys?.map(({ kid, algorithm }) => [kid, algorithm])).toEqual([
      ['a', 'ES256'],
      ['b', 'EdDSA'],
    ]);
    expect([audiences, seconds]).toEqual([['https://api.example.com', 'reports'], 5]);
  });

  it('take their keys from a file, too', () => {
    const file = write('assertion-keys', `${entry('a')}\n${entry('b')}\n`);
    const { assertions } = loadConfig({ ...others, ASSERTION_KEYS_FILE: file });
    expect(assertions.keys?.map(({ kid }) => kid)).toEqual(['a', 'b']);
  });

  const pkcs8 = (type: 'rsa' | 'ed448' | 'x25519') => {
    const { privateKey } =
      type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync(type as 'ed448');
    return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  };
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  const [, good = ''] = entry('a').split(':');
  const publicOne = createPublicKey(
    createPrivateKey({ key: Buffer.from(good, 'base64'), format: 'der', type: 'pkcs8' }),
  );

  it.each<[string, string, RegExp]>([
    ['nothing', ',', /must have at least one KID:KEY/],
    ['no id', good, /entry 1 must be KID:KEY/],
    ['an id with a space', `a b:${good}`, /entry 1 must be KID:KEY/],
    ['an id that is too long', `${'k'.repeat(65)}:${good}`, /entry 1 must be KID:KEY/],
    ['no base64', 'a:%%%', /entry 1 must have a private key/],
    ['half a key', `a:${good.slice(0, 60)}`, /entry 1 must have a private key/],
    [
      'a key and more',
      `a:${Buffer.concat([Buffer.from(good, 'base64').subarray(0, 40), Buffer.alloc(90)]).toString('base64')}`,
      /entry 1 must have a private key/,
    ],
    [
      'a public key',
      `a:${publicOne.export({ format: 'der', type: 'spki' }).toString('base64')}`,
      /entry 1 must have a private key/,
    ],
    ['an RSA key', `a:${pkcs8('rsa')}`, /entry 1 must have a key of P-256 or Ed25519/],
    ['Ed448', `a:${pkcs8('ed448')}`, /entry 1 must have a key of P-256 or Ed25519/],
    ['X25519', `a:${pkcs8('x25519')}`, /entry 1 must have a key of P-256 or Ed25519/],
    [
      'P-384',
      `a:${p384.export({ format: 'der', type: 'pkcs8' }).toString('base64')}`,
      /entry 1 must have a key of P-256 or Ed25519/,
    ],
    ['the same id twice', `${entry('a')},${entry('a')}`, /entries 1 and 2 have the same id or the same key/],
    ['the same key twice', `a:${good},b:${good}`, /entries 1 and 2 have the same id or the same key/],
    [
      'eleven keys',
      Array.from({ length: 11 }, (_, at) => entry(`k${at}`)).join(),
      /must have at most 10 entries/,
    ],
  ])('%s in ASSERTION_KEYS → refused, and no key is shown', (_what, keys, fault) => {
    const said = faultOf(keys);
    expect(said).toMatch(fault);
    for (const part of keys.split(/[,:]/).filter(({ length }) => length > 70))
      expect(said).not.toContain(part);
  });

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    ['no audience', { ASSERTION_AUDIENCE: undefined }, /ASSERTION_AUDIENCE must be set with ASSERTION_KEYS/],
    [
      'an empty list of audiences',
      { ASSERTION_AUDIENCE: ', ,' },
      /ASSERTION_AUDIENCE must be set with ASSERTION_KEYS/,
    ],
    [
      'an audience that is too long',
      { ASSERTION_AUDIENCE: 'x'.repeat(256) },
      /ASSERTION_AUDIENCE must have names of at most 255/,
    ],
    ['no PUBLIC_URL', { PUBLIC_URL: undefined }, /PUBLIC_URL must be set with ASSERTION_KEYS/],
    [
      'too long a life',
      { ASSERTION_SECONDS: '61' },
      /ASSERTION_SECONDS must be a whole number of seconds from 5 to 60/,
    ],
    ['too short a life', { ASSERTION_SECONDS: '4' }, /ASSERTION_SECONDS must be/],
    [
      'its own URL as an issuer',
      { AUTH_ISSUER: 'https://keys.example.com', AUTH_AUDIENCE: 'x' },
      /AUTH_ISSUER \(or AUTH_ISSUERS\) must not be PUBLIC_URL with ASSERTION_KEYS/,
    ],
    [
      'its own URL among the issuers',
      { AUTH_ISSUERS: '[{"issuer":"https://keys.example.com","audience":"x"}]' },
      /AUTH_ISSUER \(or AUTH_ISSUERS\) must not be PUBLIC_URL with ASSERTION_KEYS/,
    ],
  ])('with %s → refused', (_what, more, fault) => {
    expect(faultOf(entry('a'), more)).toMatch(fault);
  });

  it('an audience without keys is for development only', () => {
    expect(loadConfig({ ASSERTION_AUDIENCE: 'x' }).assertions.audiences).toEqual(['x']);
    expect(() => loadConfig({ ASSERTION_AUDIENCE: 'x', ...issuer })).toThrow(
      /ASSERTION_KEYS must be set with ASSERTION_AUDIENCE/,
    );
  });
});

describe('faults', () => {
  const kind = 'NODE_ENV must be "development", "test" or "production"';
  const port = 'PORT must be a whole number from 0 to 65535';
  const seconds = 'must be a whole number of seconds from 1 to 999999999';
  const timeout = 'must be a whole number of seconds from 1 to 600';
  const databaseUrl =
    'DATABASE_URL must be sqlite:<path of a file>, sqlite::memory: or postgres://user:password@host/database';
  const publicUrl = 'PUBLIC_URL must be a URL';
  const notBare = `${publicUrl} without query, fragment and user name`;
  const badHost = 'must have a valid host: letters, digits, dots and hyphens';
  const url = 'AUTH_ISSUER must be a URL';
  const https = 'AUTH_ISSUER must begin with https:// (http:// is allowed for this machine only)';
  const beside = 'AUTH_ISSUER must be set with';
  const algorithm = /^AUTH_ALGORITHMS may only name RS256, .*, ES512, EdDSA, Ed25519$/;
  const alias = /^AUTH_SCOPE_ALIASES must be pairs/;

  it.each([
    ['METRICS_PORT', 'tcp://10.96.0.5:9090'],
    ['METRICS_PORT', 'udp://[fd00::5]:53'],
    ['METRICS_PORT', ' TCP://10.96.0.5:9090 '],
  ])('%s=%s is ignored: Kubernetes sets it, for a service of that name', (name, value) => {
    const config = loadConfig({ [name]: value });
    expect(config.ignored).toEqual([name]);
    expect({ ...config, ignored: [] }).toEqual(loadConfig({}));
  });

  it.each<[string, string, string | RegExp]>([
    ['METRICS_PORT', 'http://10.96.0.5:9090', 'METRICS_PORT must be a whole number from 1 to 65535'],
    ['NODE_ENV', 'prod', kind],
    ['NODE_ENV', 'Production', kind],
    ['NODE_ENV', ' production ', kind],
    ['NODE_ENV', 'staging', kind],
    ['PORT', 'http', port],
    ['PORT', '-1', port],
    ['PORT', '65536', port],
    ['PORT', '80.5', port],
    ['PORT', '0x50', port],
    ['WORKERS', '0', 'WORKERS must be a whole number from 1 to 256'],
    ['WORKERS', 'auto', 'WORKERS must be a whole number from 1 to 256'],
    ['PUBLIC_URL', 'gateway', publicUrl],
    ['PUBLIC_URL', '/api/v1', publicUrl],
    ['PUBLIC_URL', 'gateway.example.com:8443', publicUrl],
    ['PUBLIC_URL', 'mailto:keys@example.com', publicUrl],
    ...[
      ...['//', '//keys', '/keys//a', '/k%65ys', '/keys;a', '/keys a', "/keys'", '/schlüssel', '/$host'],
      ...[
        '/api/v1',
        '/api/v1/keyward',
        '/console',
        '/graphql/',
        '/sign-in',
        '/health/live',
        '/.well-known/keyward',
      ],
    ].map((path): [string, string, RegExp] => [
      'PUBLIC_URL',
      `https://gateway.example.com${path}`,
      /^PUBLIC_URL must have a path of letters, digits, "-", "_", "\." and "~" alone, and none like Keyward's own: \/api\/v1, /,
    ]),
    ['PUBLIC_URL', 'https://gateway.example.com/?tenant=1', notBare],
    ['PUBLIC_URL', 'https://gateway.example.com/#keys', notBare],
    ['AUTH_ISSUER', 'https://id.example.com/?tenant=a', 'AUTH_ISSUER must not have a query'],
    ['AUTH_ISSUER', 'https://id.example.com/#a', 'AUTH_ISSUER must not have a fragment'],
    ['AUTH_JWKS_URI', 'https://id.example.com/keys#a', 'AUTH_JWKS_URI must not have a fragment'],
    ['AUTH_JWKS_URI', 'https://id.example.com/keys#', 'AUTH_JWKS_URI must not have a fragment'],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'http://127.0.0.1:4318/?a=b',
      'OTEL_EXPORTER_OTLP_ENDPOINT must not have a query',
    ],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'http://127.0.0.1:4318/#',
      'OTEL_EXPORTER_OTLP_ENDPOINT must not have a fragment',
    ],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'https://a:b@otel.example.com',
      'OTEL_EXPORTER_OTLP_ENDPOINT must not have a user name or password',
    ],
    [
      'DATABASE_URL',
      'sqlite:file:keyward.db',
      'DATABASE_URL has a URL in place of a path: write sqlite:<path of a file>',
    ],
    [
      'DATABASE_URL',
      'postgres://a:b@one,two/keyward',
      'DATABASE_URL names several hosts: pg connects to one',
    ],
    ['PUBLIC_URL', 'https://someone:c4n4ry@gateway.example.com', notBare],
    ...[
      "exa'mple.com",
      'exa"mple.com',
      'exa`mple.com',
      'exa$mple.com',
      'a,b',
      'a=b',
      'a;b',
      '{a}',
      '(a)',
      '..',
      'a..b',
      '.a',
      '-a.example.com',
      'a-.example.com',
      `${'a'.repeat(64)}.example.com`,
    ].flatMap((host): [string, string, string][] => [
      ['PUBLIC_URL', `https://${host}`, `PUBLIC_URL ${badHost}`],
      ['AUTH_ISSUER', `https://${host}/realm`, `AUTH_ISSUER ${badHost}`],
    ]),
    ['DATABASE_URL', 'sqlite:', databaseUrl],
    ['DATABASE_URL', 'data/keyward.db', databaseUrl],
    ['DATABASE_URL', 'mysql://user:secret@db/keyward', databaseUrl],
    ['DATABASE_URL', 'postgres:keyward', databaseUrl],
    ['DATABASE_URL', 'postgres://user:secret@db:port/keyward', databaseUrl],
    ['DATABASE_URL', 'http://db/?postgres://', databaseUrl],
    ['DATABASE_MIGRATE', 'yes', 'DATABASE_MIGRATE must be "auto" or "check"'],
    ['DATABASE_STATEMENTS', 'on', 'DATABASE_STATEMENTS must be "named" or "unnamed"'],
    ['DATABASE_POOL_SIZE', '0', 'DATABASE_POOL_SIZE must be a whole number from 1 to 1000'],
    ['DATABASE_POOL_SIZE', '1001', 'DATABASE_POOL_SIZE must be a whole number from 1 to 1000'],
    ['DATABASE_CONNECT_TIMEOUT', '0', `DATABASE_CONNECT_TIMEOUT ${timeout}`],
    ['DATABASE_CONNECT_TIMEOUT', '3s', `DATABASE_CONNECT_TIMEOUT ${timeout}`],
    ['DATABASE_STATEMENT_TIMEOUT', '601', `DATABASE_STATEMENT_TIMEOUT ${timeout}`],
    ['DATABASE_IDLE_TRANSACTION_TIMEOUT', '0.5', `DATABASE_IDLE_TRANSACTION_TIMEOUT ${timeout}`],
    ['SESSION_DURATION_MIN', '0', `SESSION_DURATION_MIN ${seconds}`],
    ['SESSION_DURATION_MIN', '1h', `SESSION_DURATION_MIN ${seconds}`],
    ['SESSION_DURATION_MAX', '1000000000', `SESSION_DURATION_MAX ${seconds}`],
    ['AUTOMATION_DEFAULT_ENABLED', 'true', 'AUTOMATION_DEFAULT_ENABLED must be "on" or "off"'],
    ['AUTOMATION_DEFAULT_SESSION_DURATION', '1h', `AUTOMATION_DEFAULT_SESSION_DURATION ${seconds}`],
    ['GRAPHQL_INTROSPECTION', 'true', 'GRAPHQL_INTROSPECTION must be "on" or "off"'],
    ['LOG_LEVEL', 'verbose', 'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent'],
    ['METRICS_PORT', '0', 'METRICS_PORT must be a whole number from 1 to 65535'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector', 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://a"b:4318', `OTEL_EXPORTER_OTLP_ENDPOINT ${badHost}`],
    [
      'OTEL_TRACES_SAMPLER',
      'jaeger_remote',
      /^OTEL_TRACES_SAMPLER must be one of always_on, .*, parentbased_traceidratio$/,
    ],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1'],
    ['AUTH_ISSUER', 'id.example.com', url],
    ['AUTH_ISSUER', 'http://id.example.com', https],
    ['AUTH_ISSUER', 'http://10.0.0.1', https],
    ['AUTH_ISSUER', 'http://127.0.0.1.example.com', https],
    ['AUTH_ISSUER', 'ftp://id.example.com', https],
    ['AUTH_ISSUER', 'https://alice@id.example.com', 'AUTH_ISSUER must not have a user name or password'],
    [
      'AUTH_JWKS_URI',
      'https://:c4n4ry@id.example.com',
      'AUTH_JWKS_URI must not have a user name or password',
    ],
    ['AUTH_JWKS_URI', 'jwks', 'AUTH_JWKS_URI must be a URL'],
    ['AUTH_JWKS_URI', 'http://id.example.com/jwks', https.replace('AUTH_ISSUER', 'AUTH_JWKS_URI')],
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
    [
      'a default below the minimum',
      { AUTOMATION_DEFAULT_SESSION_DURATION: '59' },
      'AUTOMATION_DEFAULT_SESSION_DURATION must be between SESSION_DURATION_MIN and SESSION_DURATION_MAX',
    ],
    [
      'a default above the maximum',
      { AUTOMATION_DEFAULT_SESSION_DURATION: '301', SESSION_DURATION_MAX: '300' },
      'AUTOMATION_DEFAULT_SESSION_DURATION must be between',
    ],
    [
      'a maximum below the default minimum',
      { SESSION_DURATION_MAX: '59' },
      'SESSION_DURATION_MIN must be at most',
    ],
    [
      'production without an issuer',
      { NODE_ENV: 'production', ...secrets },
      'AUTH_ISSUER (or AUTH_ISSUERS) must be set in production',
    ],
    [
      'production with an audience alone',
      { NODE_ENV: 'production', AUTH_AUDIENCE: 'keyward', ...secrets },
      'AUTH_ISSUER (or AUTH_ISSUERS) must be set in production',
    ],
    [
      'an issuer for any audience',
      { AUTH_ISSUER: 'https://id.example.com', ...secrets },
      'AUTH_AUDIENCE or AUTH_CLIENT_ID',
    ],
    [
      'an issuer with an audience that names nothing',
      { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: ' , ', ...secrets },
      'AUTH_AUDIENCE or AUTH_CLIENT_ID or AUTH_AUTHORIZED_PARTIES must be given',
    ],
    ['an audience without an issuer', { AUTH_AUDIENCE: 'keyward' }, beside],
    ['a client id without an issuer', { AUTH_CLIENT_ID: 'web' }, beside],
    ['verification keys without an issuer', { AUTH_JWKS_URI: 'https://id.example.com/jwks' }, beside],
    ['scope aliases without an issuer', { AUTH_SCOPE_ALIASES: 'mail=email' }, beside],
    [
      'workers on SQLite',
      { ...issuer, WORKERS: '2' },
      'DATABASE_URL must name a PostgreSQL database if WORKERS is above 1: an SQLite file is for one process',
    ],
    [
      'workers with the development identity provider',
      { WORKERS: '2', DATABASE_URL: 'postgres://db/keyward' },
      'AUTH_ISSUER (or AUTH_ISSUERS) must be set if WORKERS is above 1: the development identity provider works in one process only',
    ],
    ['another address without an issuer', { HOST: '192.168.1.5' }, 'HOST must be'],
    ['another name without an issuer', { HOST: 'gateway.example.com' }, 'HOST must be'],
    ['a name like an address without an issuer', { HOST: '127.example.com' }, 'HOST must be'],
  ])('%s → refused with a message', (_what, environment, fault) => {
    expect(faultsOf(environment)).toEqual([expect.stringContaining(fault)]);
  });

  it('are not reported for valid values of a similar form', () => {
    expect(faultsOf({ ...issuer, HOST: '192.168.1.5', NODE_ENV: 'production' })).toEqual([]);
    expect(faultsOf({ ...secrets, AUTH_ISSUER: 'http://localhost:9000', AUTH_CLIENT_ID: 'web' })).toEqual([]);
    expect(faultsOf({ HOST: '0.0.0.0' })).toEqual([]);
    expect(faultsOf({ WORKERS: '1' })).toEqual([]);
    expect(faultsOf({ ...issuer, WORKERS: '256', DATABASE_URL: 'postgresql://db/keyward' })).toEqual([]);
  });

  it('are reported all at once', () => {
    const faults = faultsOf({
      NODE_ENV: 'production',
      PORT: 'http',
      PUBLIC_URL: 'gateway',
      DATABASE_URL: 'mysql:',
      DATABASE_MIGRATE: 'never',
      DATABASE_POOL_SIZE: 'big',
      DATABASE_CONNECT_TIMEOUT: '0',
      DATABASE_STATEMENT_TIMEOUT: '0',
      DATABASE_IDLE_TRANSACTION_TIMEOUT: '0',
      AUTH_JWKS_URI: 'jwks',
      AUTH_ISSUERS: 'one',
      KEY_PEPPERS: 'pepper',
      LOG_LEVEL: 'loud',
      AUTH_ALGORITHMS: 'HS256',
      SESSION_DURATION_MIN: '90',
      SESSION_DURATION_MAX: '80',
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      ...['PORT', 'PUBLIC_URL', 'DATABASE_URL', 'DATABASE_MIGRATE', 'DATABASE_POOL_SIZE'],
      ...['DATABASE_CONNECT_TIMEOUT', 'DATABASE_STATEMENT_TIMEOUT', 'DATABASE_IDLE_TRANSACTION_TIMEOUT'],
      ...['AUTH_JWKS_URI', 'AUTH_ALGORITHMS', 'AUTH_ISSUERS', 'KEY_PEPPERS', 'LOG_LEVEL'],
      // Those that no single variable shows: the bounds, an issuer for the keys, and the other kind of secrets.
      ...['SESSION_DURATION_MIN', 'AUTH_ISSUER', 'KEY_ENCRYPTION_KEYS'],
    ]);
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

  it('may be missing', () => {
    vi.stubEnv('PORT', '4100');
    expect(loadConfig()).toMatchObject({ port: 4100, host: '127.0.0.1' });
  });

  it('adds to the environment and overrides nothing of it', () => {
    writeFileSync('.env', 'PORT=4200\nHOST=::1\n');
    vi.stubEnv('PORT', '4100');
    expect(loadConfig()).toMatchObject({ port: 4100, host: '::1' });
  });

  it('cannot be read → refused with a message', () => {
    mkdirSync('.env');
    expect(() => loadConfig()).toThrow(new ConfigError(['.env must be a file that this user may read']));
  });
});
