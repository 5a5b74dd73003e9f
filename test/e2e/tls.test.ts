import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKeyService } from '../support/key-service.ts';
import { runsNginx, startNginx } from '../support/nginx.ts';
import { createTemporaryFolder, runCommand } from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { spelledDoors } from '../support/spelled-doors.ts';

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

describe.skipIf(!runsNginx || !canRun('openssl', 'nginx gets no certificate', ['version']))(
  'nginx with TLS, configured as documented',
  () => {
    const stack = new AsyncDisposableStack();
    let service: Awaited<ReturnType<typeof startKeyService>>;
    let call: (path: string, headers?: Record<string, string>) => Promise<[IncomingMessage, string]>;

    beforeAll(async () => {
      const folder = stack.use(await createTemporaryFolder());
      await createCertificate(folder.path);
      service = stack.use(await startKeyService(folder.path, { PUBLIC_URL: `https://${name}` }));
      const nginx = stack.use(
        await startNginx(folder.path, (port) =>
          recipe
            .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
            .replaceAll('/etc/ssl/', `${folder.path}/`)
            .replace('127.0.0.1:4000', `127.0.0.1:${service.service.port}`),
        ),
      );
      const ca = await readFile(join(folder.path, 'keyward.pem'));
      const { port } = new URL(nginx.url);
      call = async (path, headers = {}) => {
        const options = { host: '127.0.0.1', port, servername: name, ca, path, agent: false };
        const [response] = await once(
          request({ ...options, headers: { host: name, ...headers } }).end(),
          'response',
        );
        return [response, await text(response)];
      };
    }, 30_000);
    afterAll(() => stack.disposeAsync());

    it("passes requests on, and Keyward's metadata has the address that clients see", async () => {
      const [response, body] = await call('/api/v1/auth/private-key');
      expect([response.statusCode, body]).toEqual([401, '{"detail":"Not authenticated"}']);
      expect(response.headers['www-authenticate']).toContain(
        `resource_metadata="https://${name}/.well-known/oauth-protected-resource`,
      );
    });

    it('does not expose the authorize path, however it is spelled, and exposes the path for API keys', async () => {
      const key = { 'x-api-key': service.key.secret };
      expect((await fetch(`${service.service.url}/api/v1/keys/authorize`, { headers: key })).status).toBe(
        200,
      );
      for (const path of spelledDoors()) {
        for (const headers of [key, { 'x-api-key': 'sk-wrong' }]) {
          const [{ statusCode, headers: answered }] = await call(path, headers);
          expect([path, statusCode, answered['x-keyward-user']]).toEqual([
            path,
            expect.toBeOneOf([400, 404]),
            undefined,
          ]);
        }
      }
      expect((await call('/api/v1/keys/self', key))[0].statusCode).toBe(200);
    });
  },
);
