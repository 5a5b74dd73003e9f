import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { accountAdmin, scopeDescriptions } from '../../src/auth/scopes.ts';
import { createDevelopmentIdentityProvider } from '../../src/dev/identity-provider.ts';
import { developmentAudience, developmentClientId } from '../../src/dev/issuer.ts';
import { requestToken } from '../../src/dev/request-token.ts';
import { createTestGateway } from '../support/gateway.ts';
import { startIssuer } from '../support/issuer.ts';
import { createTemporaryFolder, runScript, type ServiceProcess, startProcess } from '../support/process.ts';
import { signIn } from '../support/sign-in.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  service = await startProcess(folder.path);
}, 20_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

afterEach(() => {
  vi.useRealTimers();
});

const transports = ['REST', 'GraphQL'] as const;
type Transport = (typeof transports)[number];

const scope = accountAdmin.join(' ');
const documentPath = '/.well-known/oauth-protected-resource';

const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** Asks the process for the status of a private key. */
const askStatus = (transport: Transport, token?: string) =>
  transport === 'REST'
    ? fetch(`${service.url}/api/v1/auth/private-key`, { headers: bearer(token) })
    : fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: {
          ...bearer(token),
          accept: 'application/graphql-response+json',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ query: '{ privateKeyStatus { hasKey } }' }),
      });

const expected = (transport: Transport, hasKey: boolean) =>
  transport === 'REST' ? { has_key: hasKey } : { data: { privateKeyStatus: { hasKey } } };

describe.each(transports)('a person who signed in with a code and PKCE, over %s', (transport) => {
  it('is accepted with the access token, and with a refreshed one', async () => {
    const { tokens, subject, refresh } = await signIn(`${service.url}/idp`, 'alice', scope);
    expect(subject).toBe('alice');
    const answer = await askStatus(transport, tokens.access_token);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject(expected(transport, true));

    const refreshed = await refresh();
    expect(refreshed.access_token).not.toBe(tokens.access_token);
    const again = await askStatus(transport, refreshed.access_token);
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject(expected(transport, true));
  });

  it('is refused with the ID token and with the refresh token', async () => {
    const { tokens } = await signIn(`${service.url}/idp`, 'bob', scope);
    for (const token of [tokens.id_token, tokens.refresh_token]) {
      const answer = await askStatus(transport, token);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
    const answer = await askStatus(transport, tokens.access_token);
    expect(await answer.json()).toMatchObject(expected(transport, false));
  });

  it('learns which scope is missing', async () => {
    const { tokens } = await signIn(`${service.url}/idp`, 'alice', 'openid email');
    const answer = await askStatus(transport, tokens.access_token);
    expect(answer.status).toBe(403);
    expect(JSON.stringify(await answer.json())).toContain('lacks the scope: profile');
  });
});

describe('npm run token', () => {
  const run = (...args: string[]) =>
    runScript('src/dev/token.ts', args, { cwd: folder.path, env: { PORT: `${service.port}` } });

  it('prints a token with organisations, which the service accepts', async () => {
    const organizations = ['--organization', 'acme', '--role', 'admin', '--organization', 'globex'];
    const { code, stdout, stderr } = await run('--subject', 'alice', ...organizations);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const token = stdout.trim();
    expect(decodeJwt(token)['organizations']).toEqual({
      acme: { role: 'admin', name: 'Acme' },
      globex: { role: 'member', name: 'Globex' },
    });
    expect((await askStatus('REST', token)).status).toBe(200);
  });

  it('refuses organisations that do not fit together', async () => {
    expect(await run('--subject', 'alice', '--role', 'admin')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^The option --role needs an --organization before it\.\n\nUsage: npm run --silent token /,
      ),
    });
  });
});

describe('a provider with a new signing key', () => {
  /** The real provider behind a server of its own; each `rotate` puts one with a new key in its place. */
  async function startProvider() {
    const server = createServer((request, response) => callback(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/idp`;
    const create = () =>
      createDevelopmentIdentityProvider({
        issuer,
        audience: developmentAudience,
        clientId: developmentClientId,
        scopes: Object.keys(scopeDescriptions),
        production: false,
      });
    let callback = await create();
    return {
      issuer,
      token: () => requestToken({ issuer, clientId: developmentClientId, subject: 'alice' }),
      rotate: async () => {
        callback = await create();
      },
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      },
    };
  }

  it('is trusted within 30 seconds, and old tokens are refused', async () => {
    for (const name of ['info', 'warn'] as const) vi.spyOn(console, name).mockImplementation(() => {});
    await using provider = await startProvider();
    await using issuer = await startIssuer();
    const config = { ...issuer.config, issuer: provider.issuer, audiences: [developmentAudience] };
    await using gateway = await createTestGateway({ ...issuer, config });
    const statusOf = async (token: string) =>
      (await gateway.rest('GET', '/auth/private-key', { token })).status;

    const old = await provider.token();
    vi.useFakeTimers({ toFake: ['performance'] });
    expect(await statusOf(old)).toBe(200);
    await provider.rotate();
    const fresh = await provider.token();
    expect(decodeProtectedHeader(fresh).kid).not.toBe(decodeProtectedHeader(old).kid);
    expect(await statusOf(fresh)).toBe(401);
    vi.advanceTimersByTime(30_000);
    expect(await statusOf(fresh)).toBe(200);
    expect(await statusOf(old)).toBe(401);
  });
});

describe(documentPath, () => {
  it('names the issuer and the scopes', async () => {
    const response = await fetch(service.url + documentPath);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      resource: service.url,
      resource_name: 'Keyward',
      authorization_servers: [`${service.url}/idp`],
      scopes_supported: [
        'openid',
        'email',
        'profile',
        'idp.signin.user.admin',
        'keys.verify',
        'keys.import',
        'accounts.act',
        'accounts.entitle',
      ],
      bearer_methods_supported: ['header'],
    });
  });

  it('leads to a provider that issues a token for these scopes', async () => {
    const metadata = (await (await fetch(service.url + documentPath)).json()) as Record<string, string[]>;
    const [issuer = ''] = metadata['authorization_servers'] ?? [];
    const { tokens } = await signIn(issuer, 'alice', `${metadata['scopes_supported']?.join(' ')}`);
    expect((await askStatus('REST', tokens.access_token)).status).toBe(200);
  });

  it('answers HEAD without a body', async () => {
    const response = await fetch(service.url + documentPath, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe('');
  });

  it('accepts a query string', async () => {
    expect((await fetch(`${service.url}${documentPath}?a=/graphql`)).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('answers 405 to %s', async (method) => {
    const response = await fetch(service.url + documentPath, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(await response.json()).toEqual({ detail: 'Method Not Allowed' });
  });

  it.each(['/', '/graphql', '/api/v1', '.json'])('is not at a path followed by %s', async (suffix) => {
    expect((await fetch(service.url + documentPath + suffix)).status).toBe(404);
  });

  it.each(['/x', '/api/v1'])('is not at a path after %s', async (prefix) => {
    expect((await fetch(service.url + prefix + documentPath)).status).toBe(404);
  });

  it.each(transports)('is in every challenge, over %s', async (transport) => {
    const narrow = await service.token('alice', 'openid');
    const challenges = await Promise.all(
      [undefined, 'not-a-token', narrow].map(async (token) => {
        const { status, headers } = await askStatus(transport, token);
        return [status, headers.get('www-authenticate')];
      }),
    );
    const end = `resource_metadata="${service.url}${documentPath}"`;
    expect(challenges).toEqual([
      [401, `Bearer realm="keyward", ${end}`],
      [401, `Bearer realm="keyward", error="invalid_token", ${end}`],
      [403, `Bearer realm="keyward", error="insufficient_scope", scope="openid email profile", ${end}`],
    ]);
  });

  it.each(transports)('is in no response without a challenge, over %s', async (transport) => {
    const { headers } = await askStatus(transport, await service.token('alice'));
    expect(headers.get('www-authenticate')).toBeNull();
  });
});

describe.each(transports)('a header that is too long, over %s', (transport) => {
  it.each([
    [8193, 401],
    [17 * 1024, 431],
  ])('is refused: a token of %i characters with %i', async (length, status) => {
    expect((await askStatus(transport, `a.b.${'A'.repeat(length - 4)}`)).status).toBe(status);
  });
});
