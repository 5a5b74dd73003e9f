import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runsNginx, startNginx } from '../support/nginx.ts';
import { createTemporaryFolder, runCommand, startProcess } from '../support/process.ts';

const document = readFileSync(new URL('../../docs/operators.md', import.meta.url), 'utf8');
const [, recipe = ''] = /```nginx\n(.*?)```/s.exec(document) ?? [];
const name = 'keyward.example.com';

/** Makes a certificate of the name's own. */
async function createCertificate(folder: string): Promise<void> {
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const files = ['-keyout', 'keyward.key', '-out', 'keyward.pem'];
  const made = await runCommand(['openssl', 'req', '-x509', ...options, ...subject, ...files], {
    cwd: folder,
    env: {},
  });
  expect(made).toMatchObject({ code: 0 });
}

describe.skipIf(!runsNginx)('nginx with TLS, configured as documented', () => {
  it('hands calls on, and what Keyward says of itself is what clients see', async () => {
    await using folder = await createTemporaryFolder();
    await createCertificate(folder.path);
    await using service = await startProcess(folder.path, { PUBLIC_URL: `https://${name}` });
    await using nginx = await startNginx(folder.path, (port) =>
      recipe
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
        .replaceAll('/etc/ssl/', `${folder.path}/`)
        .replace('127.0.0.1:4000', `127.0.0.1:${service.port}`),
    );
    const ca = await readFile(join(folder.path, 'keyward.pem'));
    const { port } = new URL(nginx.url);
    const call = request({ host: '127.0.0.1', port, servername: name, ca, path: '/api/v1/auth/private-key' });
    call.setHeader('host', name).end();
    const [response] = await once(call, 'response');
    expect([response.statusCode, await text(response)]).toEqual([401, '{"detail":"Not authenticated"}']);
    expect(response.headers['www-authenticate']).toContain(
      `resource_metadata="https://${name}/.well-known/oauth-protected-resource`,
    );
  });
});
