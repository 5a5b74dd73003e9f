import { spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { createTemporaryFolder, freePort } from './process.ts';

const redirectUri = 'https://app.example.com/callback';
const scopes = ['email', 'profile', 'idp.signin.user.admin'];
const client = { id: 'app', password: 'of this test alone' };

/** Debian's configuration and tables, of which a test changes what would be shared. */
const configuration = '/etc/glewlwyd/glewlwyd.conf';
const tables = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';

/** A provider by Debian's Glewlwyd, with its data in a folder of its own, that signs by Ed25519. */
export async function startGlewlwyd(resource: string) {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTemporaryFolder());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = join(folder.path, 'glewlwyd.db');
  const database = new Sqlite(file);
  database.exec(await readFile(tables, 'utf8'));
  database.close();
  const config = join(folder.path, 'glewlwyd.conf');
  const original = await readFile(configuration, 'utf8');
  await writeFile(
    config,
    original
      .replace(/^port=.*$/m, `port=${port}\nbind_address="127.0.0.1"`)
      .replace(/^external_url=.*$/m, `external_url="${url}"`)
      .replace(/^log_mode=.*$/m, 'log_mode="console"')
      .replace(/^log_level=.*$/m, 'log_level="ERROR"')
      .replace(/^@include.*$/m, `database={ type="sqlite3" path="${file}" };`),
  );
  const child = spawn('glewlwyd', ['-c', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  starting.defer(async () => {
    if (child.exitCode !== null || !child.kill('SIGKILL')) return;
    await once(child, 'exit');
  });
  const issuer = `${url}/api/oidc`;
  await untilListening(url, child);
  await setUp(url, issuer, resource);
  const stack = starting.move();
  return {
    issuer,
    /** alice's tokens, by the authorization code flow with PKCE. */
    signIn: (scope: string) => signIn(url, { scope, resource }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function untilListening(url: string, child: { readonly exitCode: number | null }): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) break;
    if (await fetch(`${url}/api/auth/`).then(Boolean, () => false)) return;
    await delay(100);
  }
  throw new Error('Glewlwyd does not listen');
}

/** Sends JSON to Glewlwyd's own API. */
async function call(url: string, [method, path]: readonly [string, string], json: object, cookie = '') {
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(json),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function logIn(url: string, username: string, password: string): Promise<string> {
  const { headers } = await call(url, ['POST', '/auth/'], { username, password });
  return headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
}

/** Makes the provider, a client, and alice. */
async function setUp(url: string, issuer: string, resource: string): Promise<void> {
  const cookie = await logIn(url, 'admin', 'password');
  const add = (path: string, json: object) => call(url, ['POST', path], json, cookie);
  for (const name of scopes)
    await add('/scope/', { name, password_required: true, password_max_age: 0, scheme: {} });
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const parameters = {
    iss: issuer,
    'jwt-type': 'eddsa',
    'jwt-key-size': '256',
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
    cert: publicKey.export({ format: 'pem', type: 'spki' }),
    'jwks-show': true,
    'access-token-duration': 3600,
    'refresh-token-duration': 86_400,
    'code-duration': 600,
    'auth-type-code-enabled': true,
    'subject-type': 'public',
    'pkce-allowed': true,
    'resource-allowed': true,
    'resource-scope': { openid: [resource] },
    'resource-scope-and-client-property': false,
  };
  await add('/mod/plugin/', { module: 'oidc', name: 'oidc', display_name: 'OIDC', parameters });
  await add('/client/', {
    client_id: client.id,
    password: client.password,
    confidential: true,
    enabled: true,
    redirect_uri: [redirectUri],
    authorization_type: ['code'],
    token_endpoint_auth_method: ['client_secret_basic'],
  });
  await add('/user/', {
    username: 'alice',
    password: 'correct horse',
    scope: ['openid', ...scopes],
    enabled: true,
  });
}

async function signIn(url: string, { scope, resource }: { scope: string; resource: string }) {
  const cookie = await logIn(url, 'alice', 'correct horse');
  await call(url, ['PUT', `/auth/grant/${client.id}`], { scope }, cookie);
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope,
    resource,
    state: 'state',
    nonce: randomBytes(8).toString('hex'),
    g_continue: '',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const { headers } = await fetch(`${url}/api/oidc/auth?${query}`, {
    headers: { cookie },
    redirect: 'manual',
  });
  const callback = new URL(headers.get('location') ?? '');
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    client_id: client.id,
    code_verifier: verifier,
  });
  const authorization = `Basic ${btoa(`${client.id}:${client.password}`)}`;
  const answer = await fetch(`${url}/api/oidc/token`, { method: 'POST', headers: { authorization }, body });
  return (await answer.json()) as { access_token: string; id_token: string };
}
