import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeDescriptions } from '../../src/auth/scopes.ts';
import { createDevelopmentIdentityProvider } from '../../src/dev/identity-provider.ts';
import { requestToken } from '../../src/dev/request-token.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';
import { secretText } from '../support/secrets.ts';

const clientId = 'keyward-e2e';
const audience = 'https://keyward.example.com';

/** Production is installed without development dependencies: here too, asking for this one is an error. */
const withoutProvider = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'oidc-provider') throw new Error('oidc-provider is not installed');
      return next(specifier, context);
    },
  });`;

/** Secrets in files, as an orchestrator mounts them. */
const secretFiles = async (directory: string) => {
  const paths = {
    KEY_PEPPERS_FILE: join(directory, 'peppers'),
    KEY_ENCRYPTION_KEYS_FILE: join(directory, 'keys'),
  };
  for (const path of Object.values(paths)) await writeFile(path, `${secretText([2, 1])}\r\n`);
  return paths;
};

let provider: Server;
let issuer: string;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;

beforeAll(async () => {
  provider = createServer().listen(0, '127.0.0.1');
  await once(provider, 'listening');
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/idp`;
  const scopes = Object.keys(scopeDescriptions);
  const options = { issuer, audience, clientId, scopes, production: false };
  provider.on('request', await createDevelopmentIdentityProvider(options));
  folder = await createTemporaryFolder();
  service = await startProcess(folder.path, {
    NODE_ENV: 'production',
    ...(await secretFiles(folder.path)),
    AUTH_ISSUER: issuer,
    AUTH_AUDIENCE: audience,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(withoutProvider)}`,
  });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
});

describe('production, with an identity provider', () => {
  it('says in one line that it is ready', () => {
    const { stdout, stderr } = service.output;
    const ready = JSON.parse(/^.*"msg":"ready".*$/m.exec(stdout)?.[0] ?? '');
    expect(ready).toMatchObject({ level: 30, url: service.url });
    expect(ready).not.toHaveProperty('warning');
    expect(stderr).toBe('');
  });

  it('accepts its tokens, and seeds no data', async () => {
    const token = await requestToken({ issuer, clientId, subject: 'alice' });
    const response = await fetch(`${service.url}/api/v1/auth/private-key`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ has_key: false, created_at: null, updated_at: null });
  });

  it('creates no secrets', async () => {
    expect((await readdir(service.dataDir)).filter((name) => name.includes('secret'))).toEqual([]);
  });

  it.each(['/idp', '/idp/.well-known/openid-configuration', '/idp/jwks', '/idp/token'])(
    'has no development identity provider at %s',
    async (path) => {
      expect((await fetch(service.url + path)).status).toBe(404);
    },
  );
});
