import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { startKeyService } from '../support/key-service.ts';
import { runsNginx, startNginx } from '../support/nginx.ts';
import { createTemporaryFolder } from '../support/process.ts';

if (!runsNginx)
  process.stderr.write('\n*** No /usr/sbin/nginx: the tests of its recipe are skipped. ***\n\n');

const document = readFileSync(new URL('../../docs/forward-auth.md', import.meta.url), 'utf8');
const [, recipe = ''] = /```nginx\n(.*?)```/s.exec(document) ?? [];

/** The document's configuration, on other ports. */
const configurationOf = (keyward: number, api: number) => (port: number) => {
  const configuration = recipe
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${keyward}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${api}`)
    .replaceAll('listen 80;', `listen 127.0.0.1:${port};`);
  expect(configuration).toContain(`listen 127.0.0.1:${port};`);
  return configuration;
};

/** An API that notes what reaches it. */
async function startApi() {
  const received: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] =
    [];
  const server = createServer((request, response) => {
    received.push({ method: request.method, url: request.url, headers: request.headers });
    request.resume().on('end', () => response.end('from the API'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe.skipIf(!runsNginx)('nginx, configured as documented', () => {
  const stack = new AsyncDisposableStack();
  let running: Awaited<ReturnType<typeof startKeyService>>;
  let api: Awaited<ReturnType<typeof startApi>>;
  let url: string;

  beforeAll(async () => {
    const folder = stack.use(await createTemporaryFolder());
    api = stack.use(await startApi());
    running = stack.use(await startKeyService(folder.path));
    const configure = configurationOf(running.service.port, api.port);
    ({ url } = stack.use(await startNginx(folder.path, configure)));
  }, 30_000);
  afterAll(() => stack.disposeAsync());

  const call = (headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(`${url}/v1/things?page=2`, { ...init, headers });
  const latest = () => api.received.at(-1);

  it('lets a good key pass, by either header, and tells the API whose it is and not what', async () => {
    const { id, secret } = running.key;
    for (const headers of [{ authorization: `Bearer ${secret}` }, { 'x-api-key': secret }]) {
      const answer = await call(headers);
      expect([answer.status, await answer.text()]).toEqual([200, 'from the API']);
      expect(latest()).toMatchObject({
        method: 'GET',
        url: '/v1/things?page=2',
        headers: { 'x-keyward-user': '1', 'x-keyward-key': `${id}` },
      });
      expect(JSON.stringify(latest())).not.toContain(secret);
    }
  });

  it('lets no header of a client pass for its own', async () => {
    const { id, secret } = running.key;
    const forged = { 'x-keyward-user': '99', 'X-KEYWARD-KEY': '99', x_keyward_user: '99' };
    expect((await call({ 'x-api-key': secret, ...forged })).status).toBe(200);
    expect(latest()?.headers).toMatchObject({ 'x-keyward-user': '1', 'x-keyward-key': `${id}` });
    expect(JSON.stringify(latest())).not.toContain('99');
    expect((await call(forged)).status).toBe(401);
  });

  it('lets any method and body pass', async () => {
    const { secret } = running.key;
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await call({ 'x-api-key': secret }, { method, body: 'x'.repeat(100_000) });
      expect(answer.status).toBe(200);
      expect(latest()).toMatchObject({ method, headers: { 'content-length': '100000' } });
    }
  });

  it('refuses what is no key, and hands the challenge on', async () => {
    const before = api.received.length;
    const without = await call({});
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="api"']);
    const unknown = await call({ authorization: `Bearer ${createApiKeySecret()}` });
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"');
    expect((await fetch(`${url}/keyward`)).status).toBe(404);
    expect(api.received.length).toBe(before);
  });

  it('refuses a key at once that is revoked, and everything while Keyward is down', async () => {
    const { service, key } = running;
    const headers = { authorization: `Bearer ${await service.token('alice')}` };
    expect((await call({ 'x-api-key': key.secret })).status).toBe(200);
    const revoked = await fetch(`${service.url}/api/v1/auth/keys/${key.id}`, { method: 'DELETE', headers });
    expect(revoked.status).toBe(200);
    const before = api.received.length;
    expect((await call({ 'x-api-key': key.secret })).status).toBe(401);
    service.signal('SIGTERM');
    await service.ended;
    expect((await call({ 'x-api-key': key.secret })).status).toBe(500);
    expect(api.received.length).toBe(before);
  });
});
