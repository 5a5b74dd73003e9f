import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type AdapterPayload, type Configuration } from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claims } from '../../src/auth/claims.ts';
import { MalformedOrganization, organizationsOf } from '../../src/auth/organizations.ts';
import { accountAdmin } from '../../src/auth/scopes.ts';
import { organization as organizationSetting } from '../../src/config/issuers.ts';
import { writeServerCredential } from '../../src/config/values/server-credentials.ts';
import { developmentClientId } from '../../src/dev/issuer.ts';
import { resource, startBetterAuth } from '../support/better-auth.ts';
import { createTemporaryFolder, root, type ServiceProcess, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { createServer } from '../support/servers.ts';
import { signIn } from '../support/sign-in.ts';

const page = readFileSync(join(root, 'docs/organizations.md'), 'utf8');

/** The settings in the table of providers, by the name of the provider. */
const documented = new Map(
  [...page.matchAll(/^\| (.+?) \| `(\{.+?\})` \|/gm)].map(([, name = '', setting = '']) => [
    name.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
    setting,
  ]),
);

const settingFor = (provider: string): string => {
  const setting = documented.get(provider);
  if (setting === undefined) throw new Error(`The table has no row ${provider}`);
  return setting;
};

const manages = (name: string | null = null) => ({ role: 'manage', name });
const reads = (name: string | null = null) => ({ role: 'read', name });

/** What tokens of each provider have, as its documentation shows it, and what Keyward reads in them. */
const shown: readonly (readonly [provider: string, claims: Claims, read: object])[] = [
  ['Auth0', { org_id: 'org_1', org_name: 'acme', permissions: ['keys:manage'] }, { org_1: manages('acme') }],
  ['Auth0', { org_id: 'org_1', permissions: [] }, { org_1: reads() }],
  ['Clerk', { v: 2, o: { id: 'org_1', slg: 'acme', rol: 'admin', per: 'read' } }, { org_1: manages('acme') }],
  ['Clerk', { v: 2, o: { id: 'org_1', slg: 'acme', rol: 'member' } }, { org_1: reads('acme') }],
  ['Clerk', { v: 2 }, {}],
  ['WorkOS AuthKit', { org_id: 'org_1', role: 'admin', permissions: ['a:b'] }, { org_1: manages() }],
  ['WorkOS AuthKit', { org_id: 'org_1', role: 'org_member' }, { org_1: reads() }],
  ['Keycloak 26, all members', { organization: ['acme', 'globex'] }, { acme: manages(), globex: manages() }],
  ['Keycloak 26, all members', { organization: { acme: { id: '42c3' } } }, { acme: manages() }],
  ['Keycloak 26, all members', { organization: 'acme' }, { acme: manages() }],
  [
    'Keycloak 26, by groups',
    { organization: { acme: { groups: ['/admins'] }, globex: { groups: ['/Sales'] } } },
    { acme: manages(), globex: reads() },
  ],
  [
    'Microsoft Entra ID',
    { groups: ['8d0b', '51aa'], roles: ['Keys.Manage'] },
    { '8d0b': manages(), '51aa': manages() },
  ],
  ['Microsoft Entra ID', { groups: ['8d0b'] }, { '8d0b': reads() }],
  ['Okta', { groups: ['org-acme'] }, { 'org-acme': manages() }],
  [
    'ZITADEL',
    { 'urn:zitadel:iam:user:resourceowner:id': '77', 'urn:zitadel:iam:user:resourceowner:name': 'ACME' },
    { 77: manages('ACME') },
  ],
  ['Logto', { organization_id: 'org_1' }, { org_1: manages() }],
  [
    'Stytch',
    { 'https://stytch.com/organization': { organization_id: 'organization-1', slug: 'acme' } },
    { 'organization-1': manages('acme') },
  ],
  [
    'Kinde',
    { org_code: 'org_1', org_name: 'Acme', permissions: ['keys:manage'] },
    { org_1: manages('Acme') },
  ],
  ['Kinde', { org_code: 'org_1', permissions: ['view:stats'] }, { org_1: reads() }],
  [
    'PropelAuth',
    {
      org_id_to_org_member_info: {
        '99ee': { org_id: '99ee', org_name: 'orgA', user_role: 'Owner' },
        '4ca2': { org_id: '4ca2', org_name: 'orgB', user_role: 'Member' },
      },
    },
    { '99ee': manages('orgA'), '4ca2': reads('orgB') },
  ],
  [
    'Descope',
    { dct: 'T1', tenants: { T1: { permissions: [], roles: ['Tenant Admin'] }, T2: { roles: [] } } },
    { T1: manages(), T2: reads() },
  ],
  [
    'Frontegg',
    { tenantId: 't1', tenantIds: ['t1', 't2'], roles: ['Admin'], permissions: [] },
    { t1: manages() },
  ],
  ['Frontegg', { tenantId: 't1', roles: ['ReadOnly'] }, { t1: reads() }],
  [
    'better-auth',
    {
      organizations: { a1: { role: ['member', 'admin'], name: 'Acme' }, b2: { role: ['member'], name: 'B' } },
    },
    { a1: manages('Acme'), b2: reads('B') },
  ],
  ['oidc-provider', { org_id: 'acme', org_role: 'admin', org_name: 'Acme' }, { acme: manages('Acme') }],
];

describe('the table of providers', () => {
  it('has a token of each provider here', () => {
    expect([...documented.keys()].toSorted()).toEqual([...new Set(shown.map(([name]) => name))].toSorted());
  });

  it.each(shown)('reads a token of %s: %j', (provider, claims, read) => {
    const config = organizationSetting.parse(JSON.parse(settingFor(provider)));
    const found = [...organizationsOf(claims, config)].map(([id, { role, name }]) => [id, { role, name }]);
    expect(Object.fromEntries(found)).toEqual(read);
  });
});

/** Settings and claims of which the document says that they do not fit. */
const unfit: readonly (readonly [why: string, setting: object, claims: Claims])[] = [
  [
    'a list of objects',
    { claim: 'organizations', manage: 'everyone' },
    { organizations: [{ id: 'acme', name: 'Acme' }] },
  ],
  [
    'an object by roles, as that of ZITADEL',
    {
      claim: 'urn:zitadel:iam:user:resourceowner:id',
      roles: 'urn:zitadel:iam:org:project:roles',
      manage: ['admin'],
    },
    {
      'urn:zitadel:iam:user:resourceowner:id': '77',
      'urn:zitadel:iam:org:project:roles': { admin: { 77: 'acme.example.com' } },
    },
  ],
];

it.each(unfit)('%s does not fit', (_why, setting, claims) => {
  expect(() => organizationsOf(claims, organizationSetting.parse(setting))).toThrow(MalformedOrganization);
});

/** A provider with an organisation that has two members, and somebody else. */
interface World extends AsyncDisposable {
  /** How Keyward is configured for its tokens. */
  readonly environment: Record<string, string>;
  readonly organization: { readonly id: string; readonly name: string };
  /** Each of these gets the person's next token. */
  readonly manager: () => Promise<string>;
  readonly reader: () => Promise<string>;
  readonly stranger: () => Promise<string>;
  /** Removes the reader from the organisation. */
  readonly removeReader: () => Promise<unknown>;
}

const scope = accountAdmin.join(' ');
const audience = 'https://keyward.example.com';

/** A store for oidc-provider, whose own one warns on the console. */
function createStore(): NonNullable<Configuration['adapter']> {
  const store = new Map<string, AdapterPayload>();
  const payloads = () => [...store.values()];
  return (model) => ({
    upsert: async (id, payload) => void store.set(`${model}:${id}`, payload),
    find: async (id) => store.get(`${model}:${id}`),
    findByUid: async (uid) => payloads().find((payload) => payload.uid === uid),
    findByUserCode: async () => undefined,
    consume: async (id) => void Object.assign(store.get(`${model}:${id}`) ?? {}, { consumed: 1 }),
    destroy: async (id) => void store.delete(`${model}:${id}`),
    revokeByGrantId: async () => {},
  });
}

/** Keyward as the only resource, for which access tokens are JWTs. */
const features: Configuration['features'] = {
  devInteractions: { enabled: false },
  // Else tokens with the scope openid would be for this endpoint.
  userinfo: { enabled: false },
  resourceIndicators: {
    enabled: true,
    defaultResource: () => audience,
    getResourceServerInfo: () => ({
      scope,
      audience,
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'RS256' } },
    }),
  },
};

/** Grants a person's application all scopes, without asking for consent. */
const loadExistingGrant: Configuration['loadExistingGrant'] = async ({ oidc }) => {
  const { client, session, provider } = oidc;
  const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
  grant.addOIDCScope(scope);
  grant.addResourceScope(audience, scope);
  await grant.save();
  return grant;
};

/** The configuration of oidc-provider: a public client, and more claims in access tokens. */
async function configurationOf(
  issuer: string,
  claimsOf: (subject: string) => Record<string, string> | undefined,
): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return {
    adapter: createStore(),
    clients: [
      {
        client_id: developmentClientId,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [`${issuer}/sign-in/callback`],
      },
    ],
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    extraTokenClaims: (_context, token) =>
      'accountId' in token && token.accountId ? claimsOf(token.accountId) : undefined,
    features,
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    loadExistingGrant,
    scopes: [...accountAdmin],
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, RefreshToken: 600, Session: 600 },
  };
}

/** The page where people sign in by their name. */
function useSignInPage(provider: Provider): void {
  provider.use(async (context, next) => {
    if (!context.path.startsWith('/interaction/')) return next();
    if (context.method !== 'POST') {
      context.body = 'Who are you?';
      return;
    }
    let form = '';
    for await (const chunk of context.req.setEncoding('utf8')) form += chunk;
    const accountId = new URLSearchParams(form).get('login') ?? '';
    await provider.interactionFinished(context.req, context.res, { login: { accountId } });
  });
}

/** An OpenID provider by oidc-provider, whose access tokens name one organisation. */
async function startOidcProvider(): Promise<World> {
  const server = createHttpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const organization = { id: 'acme', name: 'Acme' };
  const roles = new Map([
    ['manager', 'admin'],
    ['reader', 'viewer'],
  ]);
  const claimsOf = (subject: string) => {
    const role = roles.get(subject);
    return role ? { org_id: organization.id, org_role: role, org_name: organization.name } : undefined;
  };
  const provider = new Provider(issuer, await configurationOf(issuer, claimsOf));
  useSignInPage(provider);
  server.on('request', provider.callback());
  const [manager, reader, stranger] = await Promise.all(
    ['manager', 'reader', 'stranger'].map((name) => signIn(issuer, name, scope)),
  );
  const firstOf = async (person = manager) => `${person?.tokens.access_token}`;
  let hasLeft = false;
  return {
    environment: {
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: audience,
      AUTH_ORGANIZATION: settingFor('oidc-provider'),
    },
    organization,
    manager: () => firstOf(manager),
    reader: async () => (hasLeft ? `${(await reader?.refresh())?.access_token}` : firstOf(reader)),
    stranger: () => firstOf(stranger),
    removeReader: async () => {
      hasLeft = roles.delete('reader');
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

type BetterAuth = Awaited<ReturnType<typeof startBetterAuth>>;
type Person = Awaited<ReturnType<BetterAuth['signUpPerson']>>;

/** An organisation of better-auth: its creator, who is its owner, and somebody who accepts an invitation. */
async function createOrganization(manager: Person, reader: Person) {
  const { id } = await manager.call('/organization/create', { name: 'Acme', slug: 'acme' });
  const invitation = { email: reader.email, role: 'member', organizationId: id };
  const { id: invitationId } = await manager.call('/organization/invite-member', invitation);
  await reader.call('/organization/accept-invitation', { invitationId });
  return { id: `${id}`, name: 'Acme' };
}

/** A provider by better-auth, and how Keyward is configured for its tokens. */
async function startWithBetterAuth(
  issued: 'access tokens' | 'session tokens',
  environmentOf: (provider: BetterAuth) => Record<string, string>,
  nextToken: (person: Person) => Promise<unknown>,
): Promise<World> {
  await using starting = new AsyncDisposableStack();
  const provider = starting.use(await startBetterAuth(issued));
  const manager = await provider.signUpPerson('manager');
  const reader = await provider.signUpPerson('reader');
  const stranger = await provider.signUpPerson('stranger');
  const organization = await createOrganization(manager, reader);
  const removal = { memberIdOrEmail: reader.email, organizationId: organization.id };
  const stack = starting.move();
  return {
    environment: { ...environmentOf(provider), AUTH_ORGANIZATION: settingFor('better-auth') },
    organization,
    manager: async () => `${await nextToken(manager)}`,
    reader: async () => `${await nextToken(reader)}`,
    stranger: async () => `${await nextToken(stranger)}`,
    removeReader: () => manager.call('/organization/remove-member', removal),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Access tokens of better-auth as an OpenID provider. */
const startBetterAuthProvider = () =>
  startWithBetterAuth(
    'access tokens',
    ({ issuer }) => ({ AUTH_ISSUER: issuer, AUTH_AUDIENCE: resource }),
    async (person) => (await person.tokens(scope)).access_token,
  );

/** The tokens of better-auth's plugin jwt, which have no scopes. */
const startBetterAuthSessions = () =>
  startWithBetterAuth(
    'session tokens',
    ({ url, issuer }) => ({
      AUTH_ISSUER: url,
      AUTH_JWKS_URI: `${issuer}/jwks`,
      AUTH_AUDIENCE: url,
      AUTH_PEOPLE: accountAdmin.join(),
    }),
    async (person) => (await person.call('/token'))['token'],
  );

const worlds = [
  ['oidc-provider', startOidcProvider],
  ['better-auth, as an OpenID provider', startBetterAuthProvider],
  ['better-auth, with its plugin jwt', startBetterAuthSessions],
] as const;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  readonly body: any;
}

describe.each(worlds)('behind %s', (_name, start) => {
  const stack = new AsyncDisposableStack();
  const billing = createServer('billing', 'keys.verify');
  let world: World;
  let service: ServiceProcess;
  beforeAll(async () => {
    world = stack.use(await start());
    const { path } = stack.use(await createTemporaryFolder());
    service = stack.use(
      await startProcess(path, {
        NODE_ENV: 'production',
        ...secretVariables(),
        DATABASE_URL: 'sqlite::memory:',
        SERVER_CREDENTIALS: writeServerCredential(billing),
        ...world.environment,
      }),
    );
  }, 150_000);
  afterAll(() => stack.disposeAsync());

  /** Calls a route of REST: with a body by POST. */
  const call = async (token: string, path: string, headers: Record<string, string> = {}, body?: object) => {
    const method = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...method,
    });
    return { status: answer.status, body: await answer.json() } as Answer;
  };
  const forOrganization = () => ({ 'keyward-organization': world.organization.id });
  const verify = async (key: string) => (await call(billing.secret, '/keys/verify', {}, { key })).body;

  it('a person sees their organisation beside themselves', async () => {
    const { body } = await call(await world.manager(), '/auth/accounts');
    const { id, name } = world.organization;
    expect(body).toMatchObject([
      { kind: 'person', organization_id: null, role: 'manage' },
      { kind: 'organization', organization_id: id, name, role: 'manage' },
    ]);
    expect((await call(await world.stranger(), '/auth/accounts')).body).toMatchObject([{ kind: 'person' }]);
  });

  it('a member makes a key of the organisation, which verifies; another one sees it and changes nothing', async () => {
    const made = await call(await world.manager(), '/auth/keys', forOrganization(), { name: 'Billing' });
    expect(made.status).toBe(201);
    expect(await verify(made.body.key)).toMatchObject({
      valid: true,
      owner_kind: 'organization',
      organization_id: world.organization.id,
    });
    const reader = await world.reader();
    const seen = await call(reader, '/auth/keys', forOrganization());
    expect(seen).toMatchObject({ status: 200 });
    expect(JSON.stringify(seen.body)).toContain('"name":"Billing"');
    expect(await call(reader, '/auth/keys', forOrganization(), { name: 'Mine' })).toMatchObject({
      status: 403,
    });
    expect(JSON.stringify((await call(reader, '/auth/keys')).body)).not.toContain('Billing');
  });

  it('somebody else can do nothing for it', async () => {
    const stranger = await world.stranger();
    expect((await call(stranger, '/auth/keys', forOrganization())).status).toBe(404);
    expect((await call(stranger, '/auth/keys', forOrganization(), { name: 'Mine' })).status).toBe(404);
  });

  it('the next token of a removed member can do nothing for it, and its keys go on', async () => {
    const { body } = await call(await world.manager(), '/auth/keys', forOrganization(), { name: 'Shop' });
    const last = await world.reader();
    await world.removeReader();
    // The token that they have names the organisation until it expires.
    expect((await call(last, '/auth/keys', forOrganization())).status).toBe(200);
    const removed = await world.reader();
    expect((await call(removed, '/auth/keys', forOrganization())).status).toBe(404);
    expect((await call(removed, '/auth/keys', forOrganization(), { name: 'Mine' })).status).toBe(404);
    expect((await call(removed, '/auth/accounts')).body).toMatchObject([{ kind: 'person' }]);
    expect((await call(removed, '/auth/keys', {}, { name: 'My own' })).status).toBe(201);
    expect(await verify(body.key)).toMatchObject({ valid: true, organization_id: world.organization.id });
  });
});

it("the document's part for better-auth is what the provider here runs", () => {
  const provider = readFileSync(join(root, 'test/support/better-auth/server.mjs'), 'utf8');
  const [, block = ''] = /```js\n(\/\*\* The claim `organizations`.*?)```/s.exec(page) ?? [];
  expect(block).toContain('async function organizationsOf(user)');
  expect(provider).toContain(block.trimEnd());
});
