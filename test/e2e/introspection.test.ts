import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentServer } from '../../src/dev/issuer.ts';
import { developmentServerSecret } from '../../src/secrets/server-secret.ts';
import { runsApache, startApache } from '../support/apache.ts';
import { documents } from '../support/documents.ts';
import { createTemporaryFolder, startProcess } from '../support/process.ts';
import { startTlsFront } from '../support/tls-front.ts';

const stack = new AsyncDisposableStack();
let service: Awaited<ReturnType<typeof startProcess>>;
let folder: string;
beforeAll(async () => {
  folder = stack.use(await createTemporaryFolder()).path;
  service = stack.use(await startProcess(folder));
}, 30_000);
afterAll(() => stack.disposeAsync());

const manage = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${service.url}/api/v1/auth/keys${path}`, {
    method,
    headers: { authorization: `Bearer ${await service.token('alice')}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as { id: number; key: string };
};

describe('a client of OAuth (oauth4webapi)', () => {
  const local = { [oauth.allowInsecureRequests]: true };

  it('finds the endpoint by the metadata, asks, and believes the answer', async () => {
    const { id, key } = await manage('POST', '', { permissions: ['documents.read'] });
    const issuer = new URL(service.url);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...local });
    const server = await oauth.processDiscoveryResponse(new URL((await found.clone().json()).issuer), found);
    const client = { client_id: developmentServer.name };
    const ask = async (token: string, secret: string = developmentServerSecret) =>
      oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, oauth.ClientSecretBasic(secret), token, {
          additionalParameters: { token_type_hint: 'access_token' },
          ...local,
        }),
      );
    expect(await ask(key)).toMatchObject({
      active: true,
      client_id: `key:${id}`,
      scope: 'documents.read',
      sub: 'alice',
      iss: server.issuer,
    });
    await manage('DELETE', `/${id}`);
    expect(await ask(key)).toEqual({ active: false });
    await expect(ask(key, 'kws_wrong')).rejects.toMatchObject({ status: 401 });
  });

  it('that looks for the identity provider finds it as before (RFC 9728)', async () => {
    const resource = new URL(service.url);
    const found = await oauth.resourceDiscoveryRequest(resource, local);
    const metadata = await oauth.processResourceDiscoveryResponse(
      new URL((await found.clone().json()).resource),
      found,
    );
    const [issuer = ''] = metadata.authorization_servers ?? [];
    const provider = await oauth.processDiscoveryResponse(
      new URL(issuer),
      await oauth.discoveryRequest(new URL(issuer), local),
    );
    expect(provider.authorization_endpoint).toBe(`${issuer}/auth`);
  });
});

describe.skipIf(!runsApache)('Apache with mod_auth_openidc', () => {
  let url: string;
  beforeAll(async () => {
    const front = stack.use(await startTlsFront(folder, service.url));
    const { blocks } = documents.find(({ path }) => path === 'docs/verify-keys.md') ?? { blocks: [] };
    const configuration = (blocks.find(({ language }) => language === 'apache')?.text ?? '')
      .replaceAll('https://keyward.example.com', front.url)
      .replace('gateway-of-mine', developmentServer.name)
      .replace(/kws_\.+/, developmentServerSecret);
    expect(configuration).toContain(developmentServerSecret);
    const apache = stack.use(
      await startApache(
        folder,
        ['reports', 'documents', 'open'],
        `OIDCOAuthSSLValidateServer Off\n${configuration}`,
      ),
    );
    ({ url } = apache);
  }, 60_000);

  const get = async (path: string, key?: string) =>
    fetch(
      `${url}/${path}/page.txt`,
      key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } },
    );

  it('serves what it does not protect', async () => {
    expect(await (await get('open')).text()).toBe('page of open');
  });

  it('lets a valid key in, and no other', async () => {
    const { key } = await manage('POST', '', {});
    const response = await get('documents', key);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('page of documents');
    expect((await get('documents')).status).toBe(401);
    expect((await get('documents', 'sk-wrong.key')).status).toBe(401);
    expect((await get('documents', `${key}0`)).status).toBe(401);
  });

  it('asks each time: a key that has ended is refused at once', async () => {
    const { id, key } = await manage('POST', '', {});
    expect((await get('documents', key)).status).toBe(200);
    await manage('DELETE', `/${id}`);
    expect((await get('documents', key)).status).toBe(401);
  });

  it('asks for a permission', async () => {
    const [without, other, right, wide] = await Promise.all(
      [[], ['reports.readers'], ['documents.read', 'reports.read'], ['reports.*']].map((permissions) =>
        manage('POST', '', { permissions }),
      ),
    );
    expect((await get('reports', right?.key)).status).toBe(200);
    expect((await get('reports', wide?.key)).status).toBe(200);
    for (const refused of [without, other])
      expect([401, 403]).toContain((await get('reports', refused?.key)).status);
  });
});
