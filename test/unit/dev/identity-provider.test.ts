import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDevelopmentIdentityProvider } from '../../../src/dev/identity-provider.ts';
import {
  developmentAudience,
  developmentClientId,
  developmentIssuer,
  developmentSubjectGrant,
} from '../../../src/dev/issuer.ts';
import { readOrganizations } from '../../../src/dev/organization-options.ts';
import { requestToken } from '../../../src/dev/request-token.ts';

const scopes = ['openid', 'email', 'profile', 'idp.signin.user.admin'];
const clientId = developmentClientId;
const printed: unknown[] = [];
let server: Server;
let issuer: string;
let metadata: Record<string, string>;

const json = async (url: string, init?: RequestInit) => (await fetch(url, init)).json() as Promise<never>;

const postToken = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(metadata['token_endpoint'] as string, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...parameters }),
    headers,
  });

const verify = (token: string) =>
  jwtVerify(token, createRemoteJWKSet(new URL(metadata['jwks_uri'] as string)), {
    issuer,
    audience: developmentAudience,
    typ: 'at+jwt',
    algorithms: ['RS256'],
  });

beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = developmentIssuer({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  const spies = (['log', 'info', 'warn', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...line) => void printed.push(line)),
  );
  const provider = await createDevelopmentIdentityProvider({
    issuer,
    audience: developmentAudience,
    clientId,
    scopes,
    production: false,
  });
  for (const spy of spies) spy.mockRestore();
  server.on('request', provider);
  metadata = await json(`${issuer}/.well-known/openid-configuration`);
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('start', () => {
  it('prints nothing', () => {
    expect(printed).toEqual([]);
  });

  it('is refused in production', async () => {
    const options = { issuer, audience: developmentAudience, clientId, scopes, production: true };
    await expect(createDevelopmentIdentityProvider(options)).rejects.toThrow('does not start in production');
  });
});

describe('published metadata', () => {
  it('names endpoints under the path of the issuer', () => {
    expect(metadata).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      grant_types_supported: expect.arrayContaining(['authorization_code', developmentSubjectGrant]),
      scopes_supported: scopes,
    });
  });

  it('has only the public half of one signing key', async () => {
    const { keys } = (await json(metadata['jwks_uri'] as string)) as { keys: Record<string, string>[] };
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig', kid: expect.any(String) });
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(Buffer.from(keys[0]?.['n'] ?? '', 'base64url')).toHaveLength(256);
  });
});

describe('a token for a named subject', () => {
  it('is a JWT access token for Keyward with every scope', async () => {
    const { payload } = await verify(await requestToken({ issuer, clientId, subject: 'alice' }));
    const { iat = 0 } = payload;
    expect(payload).toEqual({
      iss: issuer,
      aud: developmentAudience,
      sub: 'alice',
      client_id: clientId,
      scope: scopes.join(' '),
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: iat + 3_600,
    });
  });

  it('carries only the scopes that were asked for', async () => {
    const token = await requestToken({ issuer, clientId, subject: 'bob', scope: 'openid email' });
    expect((await verify(token)).payload).toMatchObject({ sub: 'bob', scope: 'openid email' });
  });

  it('may be for any subject of 255 characters', async () => {
    const subject = `${'ü'.repeat(253)}<&`;
    expect(decodeJwt(await requestToken({ issuer, clientId, subject })).sub).toBe(subject);
  });

  it('is refused for a scope that is not known', async () => {
    const refused = requestToken({ issuer, clientId, subject: 'alice', scope: 'openid root' });
    await expect(refused).rejects.toThrow('invalid_scope: requested scope is not known');
    const response = await postToken({ grant_type: developmentSubjectGrant, subject: 'a', scope: 'root' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_scope', scope: 'root' });
  });

  it.each([
    ['missing', {}],
    ['empty', { subject: '' }],
    ['blank', { subject: '  ' }],
    ['over-long', { subject: 'a'.repeat(256) }],
  ])('is refused for a subject that is %s', async (_, parameters) => {
    const response = await postToken({ grant_type: developmentSubjectGrant, ...parameters });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('is refused to a client that is not known', async () => {
    const refused = requestToken({ issuer, clientId: 'somebody', subject: 'alice' });
    await expect(refused).rejects.toThrow('invalid_client');
  });

  it('is refused to other sites in the browser', async () => {
    const request = { grant_type: developmentSubjectGrant, subject: 'alice' };
    const foreign = await postToken(request, { origin: 'http://elsewhere.example' });
    expect(foreign.status).toBe(400);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const own = await postToken(request, { origin: new URL(issuer).origin });
    expect(own.status).toBe(200);
    // The same service by another name.
    const { port } = new URL(issuer);
    expect((await postToken(request, { origin: `http://localhost:${port}` })).status).toBe(200);
  });
});

describe('the organisations of a token', () => {
  it('are in a claim, each with the role and a name', async () => {
    const organizations = { acme: 'admin', 'Globex Inc.': 'member', x: 'viewer' };
    const token = await requestToken({ issuer, clientId, subject: 'alice', organizations });
    expect((await verify(token)).payload['organizations']).toEqual({
      acme: { role: 'admin', name: 'Acme' },
      'Globex Inc.': { role: 'member', name: 'Globex Inc.' },
      x: { role: 'viewer', name: 'X' },
    });
  });

  it('are in no later token of the same person', async () => {
    const organizations = { acme: 'admin' };
    await requestToken({ issuer, clientId, subject: 'alice', organizations });
    const later = [
      await requestToken({ issuer, clientId, subject: 'alice' }),
      await requestToken({ issuer, clientId, subject: 'alice', organizations: {} }),
    ];
    for (const token of later) expect(decodeJwt(token)).not.toHaveProperty('organizations');
  });

  it.each([
    ['no JSON', 'acme', 'organizations must be a JSON object of ids and roles'],
    ['a list', '["acme"]', 'organizations must be a JSON object of ids and roles'],
    ['null', 'null', 'organizations must be a JSON object of ids and roles'],
    ['an id of another alphabet', '{"ümlaut":"admin"}', "An organisation's id must have"],
    ['a role that is no text', '{"acme":7}', 'A role must have'],
    ['a role that is empty', '{"acme":""}', 'A role must have'],
  ])('are refused if they are %s', async (_, organizations, message) => {
    const response = await postToken({
      grant_type: developmentSubjectGrant,
      subject: 'alice',
      organizations,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 'invalid_request',
      error_description: expect.stringContaining(message),
    });
  });
});

describe('the organisations of a command line', () => {
  const read = (...args: string[]) => readOrganizations(['--subject', 'alice', ...args]);
  const id = 'a'.repeat(255);

  it.each([
    ['none', [], {}],
    ['one without a role', ['--organization', 'acme'], { acme: 'member' }],
    ['one with a role', ['--organization=acme', '--role=admin'], { acme: 'admin' }],
    [
      'several',
      ['--organization', 'acme', '--organization', 'b c', '--role', 'x', '--organization', id],
      { acme: 'member', 'b c': 'x', [id]: 'member' },
    ],
    ['one that other options follow', ['--organization', 'acme', '--scope', 'openid'], { acme: 'member' }],
  ])('are read: %s', (_, args, organizations) => {
    expect(read(...args)).toEqual(organizations);
  });

  const faultyId =
    "An organisation's id must have 1 to 255 visible ASCII characters, with spaces only inside.";

  it.each([
    ['a role first', ['--role', 'admin'], 'The option --role needs an --organization before it.'],
    [
      'a role before its organisation',
      ['--role', 'admin', '--organization', 'acme'],
      'The option --role needs an --organization before it.',
    ],
    [
      'an organisation twice',
      ['--organization', 'acme', '--organization', 'b', '--organization', 'acme'],
      'The organisation acme is given twice.',
    ],
    [
      'two roles',
      ['--organization', 'acme', '--role', 'admin', '--role', 'member'],
      'The organisation acme has two roles. Give only one.',
    ],
    ['no id', ['--organization', ''], faultyId],
    ['an id of 256 characters', ['--organization', `${id}a`], faultyId],
    ['an id with a space at its end', ['--organization', 'acme '], faultyId],
    ['an id of another alphabet', ['--organization', 'ümlaut'], faultyId],
    ['an empty role', ['--organization', 'acme', '--role', ''], 'A role must have 1 to 255 characters.'],
  ])('are refused with a sentence: %s', (_, args, message) => {
    expect(() => read(...args)).toThrow(new Error(message));
  });
});

describe('requestToken without a provider', () => {
  it('says how to start one', async () => {
    const nowhere = issuer.replace('/idp', '/nowhere');
    const refused = requestToken({ issuer: nowhere, clientId, subject: 'alice' });
    await expect(refused).rejects.toThrow(
      `No identity provider answers at ${nowhere}. Start Keyward first: npm start`,
    );
  });
});

/** The fields of a form, as a browser sends them. */
type Form = Record<string, string> | [name: string, value: string][];

/** A browser of a few lines: cookies with their paths, forms, and redirects followed as far as the callback. */
function createBrowser() {
  const jar = new Map<string, { name: string; value: string; path: string }>();
  const keep = (line: string) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /path=([^;]*)/i.exec(line)?.[1] ?? '/';
    jar.set(`${name} ${path}`, { name, value, path });
  };
  const cookies = ({ pathname }: URL) =>
    [...jar.values()]
      .filter(({ path, value }) => value !== '' && pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  const visit = async (url: URL, form?: Form): Promise<{ url: URL; html: string }> => {
    if (url.pathname === '/sign-in/callback') return { url, html: '' };
    const body = form && { method: 'POST', body: new URLSearchParams(form) };
    const response = await fetch(url, { ...body, redirect: 'manual', headers: { cookie: cookies(url) } });
    response.headers.getSetCookie().forEach(keep);
    const location = response.headers.get('location');
    return location === null ? { url, html: await response.text() } : visit(new URL(location, url));
  };
  return { visit };
}

describe('sign-in with a browser', () => {
  const redirectUri = () => `${new URL(issuer).origin}/sign-in/callback`;
  const verifier = randomBytes(32).toString('base64url');
  const authorizationUrl = (parameters: Record<string, string> = {}) =>
    new URL(
      `${metadata['authorization_endpoint']}?${new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri(),
        scope: scopes.join(' '),
        state: 'state',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...parameters,
      })}`,
    );
  const exchange = (code: string) =>
    postToken({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri(),
      code_verifier: verifier,
    });

  it('a login → a code; the code → tokens, but only once', async () => {
    const browser = createBrowser();
    const login = await browser.visit(authorizationUrl());
    expect(login.url.pathname).toMatch(/^\/idp\/interaction\//);
    expect(login.html).toContain('<h1>Sign in</h1>');
    const { url } = await browser.visit(login.url, { login: 'carol' });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ state: 'state', iss: issuer });

    const response = await exchange(url.searchParams.get('code') ?? '');
    const tokens = (await response.json()) as Record<string, string>;
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: scopes.join(' ') });
    expect(decodeJwt(tokens['id_token'] ?? '')).toMatchObject({ iss: issuer, aud: clientId, sub: 'carol' });
    const { payload } = await verify(tokens['access_token'] ?? '');
    expect(payload).toMatchObject({ sub: 'carol', client_id: clientId, scope: scopes.join(' ') });

    const refreshed = await postToken({
      grant_type: 'refresh_token',
      refresh_token: tokens['refresh_token'] ?? '',
    });
    const { access_token: fresh } = (await refreshed.json()) as { access_token: string };
    expect((await verify(fresh)).payload).toMatchObject({ sub: 'carol', scope: scopes.join(' ') });

    // Who is signed in is asked nothing again; a code that was used is worth nothing.
    const again = await browser.visit(authorizationUrl());
    expect(again.url.searchParams.get('code')).toEqual(expect.any(String));
    const replayed = await exchange(url.searchParams.get('code') ?? '');
    expect(await replayed.json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('an empty name → the form again, with a message', async () => {
    const browser = createBrowser();
    const { url } = await browser.visit(authorizationUrl());
    const { html } = await browser.visit(url, { login: '' });
    expect(html).toContain('The name must have 1 to 255 characters.');
    expect(html).toContain('<form method="post">');
  });

  /** The tokens of a request that was answered with a code. */
  const tokensOf = async ({ url }: { url: URL }) => {
    const response = await exchange(url.searchParams.get('code') ?? '');
    return (await response.json()) as { access_token: string; refresh_token: string };
  };
  const refresh = async ({ refresh_token }: { refresh_token: string }) => {
    const response = await postToken({ grant_type: 'refresh_token', refresh_token });
    return (await response.json()) as { access_token: string; refresh_token: string };
  };
  const organizationsOf = ({ access_token }: { access_token: string }) =>
    decodeJwt(access_token)['organizations'];

  it('an organisation and a role → in each token of the sign-in, also refreshed and silent ones', async () => {
    const browser = createBrowser();
    const login = await browser.visit(authorizationUrl());
    // A browser sends two names: that of the button, and the empty field for another name.
    const names: Form = [
      ['login', 'alice'],
      ['login', ''],
    ];
    const form: Form = [['organization', ' acme '], ['role', 'admin'], ...names];
    const tokens = await tokensOf(await browser.visit(login.url, form));
    expect(decodeJwt(tokens.access_token).sub).toBe('alice');
    const expected = { acme: { role: 'admin', name: 'Acme' } };
    expect(organizationsOf(tokens)).toEqual(expected);
    const fresh = await refresh(tokens);
    expect(organizationsOf(fresh)).toEqual(expected);
    expect(organizationsOf(await refresh(fresh))).toEqual(expected);
    const silent = await tokensOf(await browser.visit(authorizationUrl({ prompt: 'none' })));
    expect(organizationsOf(silent)).toEqual(expected);
    expect(organizationsOf(await refresh(silent))).toEqual(expected);
  });

  it('another sign-in → only its own organisation, or none', async () => {
    const browser = createBrowser();
    const signIn = async (form: Record<string, string>) => {
      const login = await browser.visit(authorizationUrl({ prompt: 'login' }));
      return tokensOf(await browser.visit(login.url, { login: 'alice', ...form }));
    };
    await signIn({ organization: 'acme', role: 'admin' });
    expect(organizationsOf(await signIn({ organization: 'globex' }))).toEqual({
      globex: { role: 'member', name: 'Globex' },
    });
    expect(organizationsOf(await signIn({ organization: '', role: 'admin' }))).toBeUndefined();
    const silent = await tokensOf(await browser.visit(authorizationUrl({ prompt: 'none' })));
    expect(organizationsOf(silent)).toBeUndefined();
  });

  it('an unusable organisation → the form again, with a message', async () => {
    const browser = createBrowser();
    const { url } = await browser.visit(authorizationUrl());
    const { html } = await browser.visit(url, { login: 'alice', organization: 'ümlaut', role: 'admin' });
    expect(html).toContain("An organisation's id must have 1 to 255 visible ASCII characters");
    const answer = await browser.visit(url, { login: 'alice', organization: 'acme', role: 'admin' });
    expect(organizationsOf(await tokensOf(answer))).toEqual({ acme: { role: 'admin', name: 'Acme' } });
  });

  it('an unregistered redirect URI → no redirect', async () => {
    const elsewhere = authorizationUrl({ redirect_uri: 'http://elsewhere.example/callback' });
    const response = await fetch(elsewhere, { redirect: 'manual', headers: { accept: 'text/html' } });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('<h1>This did not work</h1>');
  });

  it('a request without PKCE → refused', async () => {
    const url = authorizationUrl();
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    const answer = await createBrowser().visit(url);
    expect(answer.url.searchParams.get('error')).toBe('invalid_request');
  });
});
