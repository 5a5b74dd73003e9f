import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { send } from '../support/exact-client.ts';
import { documentedHaproxy } from '../support/forward-auth-recipes.ts';
import { createTemporaryFolder, freePort, startProcess } from '../support/process.ts';
import { startProxiedApi } from '../support/proxied-api.ts';
import { startProxy } from '../support/proxy-process.ts';
import { describeDocumentedProxy } from '../support/proxy-suite.ts';

describeDocumentedProxy(documentedHaproxy);

describe.skipIf(!documentedHaproxy.isRun)('the HAProxy script', () => {
  it('lets nothing through if it fails, here because an answer names no key', async () => {
    await using folder = await createTemporaryFolder();
    using nobody = await startProxiedApi();
    using api = await startProxiedApi();
    await using proxy = await documentedHaproxy.start(folder.path, { keyward: nobody.port, api: api.port });
    expect((await send(proxy.url, { headers: [['X-Keyward-User', '1']] })).status).toBe(503);
    expect(nobody.received.at(-1)).toMatchObject({ target: '/api/v1/keys/authorize' });
    expect(api.received).toEqual([]);
  });
});

describe.skipIf(!documentedHaproxy.isRun)('the documented HAProxy health check', () => {
  it('sees that a node is ready, although it sends HTTP/1.0 without Host', async () => {
    const document = readFileSync(new URL('../../docs/edge.md', import.meta.url), 'utf8');
    const [, check = ''] = /`(option httpchk [^`]*)`/.exec(document) ?? [];
    await using folder = await createTemporaryFolder();
    await using service = await startProcess(folder.path);
    const port = await freePort();
    const file = join(folder.path, 'haproxy.cfg');
    const lines = [
      'defaults',
      '  mode http',
      '  timeout connect 1s',
      '  timeout client 10s',
      '  timeout server 10s',
      '  timeout check 2s',
      'frontend front',
      `  bind 127.0.0.1:${port}`,
      '  http-request return status 200 content-type text/plain lf-string %[nbsrv(keyward)] if { path /up }',
      '  default_backend keyward',
      'backend keyward',
      `  ${check}`,
      `  server one 127.0.0.1:${service.port} check inter 100 fall 1 rise 1`,
      '',
    ];
    await writeFile(file, lines.join('\n'));
    const url = `http://127.0.0.1:${port}`;
    await using _proxy = await startProxy('/usr/sbin/haproxy', ['-db', '-f', file], folder.path, url);
    const up = async () => (await fetch(`${url}/up`)).text();
    // HAProxy takes a server for ready before the first check: only after a failed one does it tell.
    service.signal('SIGSTOP');
    await expect.poll(up).toBe('0');
    service.signal('SIGCONT');
    await expect.poll(up).toBe('1');
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  });
});
