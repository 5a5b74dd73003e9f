import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { createTemporaryFolder, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

/** A proxy that tunnels (CONNECT), and notes where to. */
async function startTunnel() {
  const targets: string[] = [];
  const server = createServer((_request, response) => response.writeHead(501).end());
  server.on('connect', (request, client) => {
    targets.push(request.url ?? '');
    const [host, port] = (request.url ?? '').split(':');
    const target = connect(Number(port), host);
    target.once('connect', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let issuer: TestIssuer;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  issuer = await startIssuer();
});
afterAll(async () => {
  await issuer?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

it("with NODE_USE_ENV_PROXY, an issuer's keys come through the proxy, and webhooks never do", async () => {
  await using proxy = await startTunnel();
  await using receiver = await startReceiver();
  await using service = await startProcess(folder.path, {
    NODE_ENV: 'production',
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy.url,
    HTTPS_PROXY: proxy.url,
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    WEBHOOKS: JSON.stringify([{ url: receiver.url, secret: receiver.secret }]),
    WEBHOOKS_ALLOW: '127.0.0.1',
    ...secretVariables(),
  });
  const authorization = `Bearer ${await issuer.sign({ sub: 'alice' })}`;
  await expect
    .poll(async () => {
      const response = await fetch(`${service.url}/api/v1/auth/keys`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{}',
      });
      expect(response.status).toBe(201);
      return receiver.types();
    })
    .toContain('api_key.created');
  expect(new Set(proxy.targets)).toEqual(new Set([new URL(issuer.config.issuer).host]));
});
