import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporaryFolder, root, runCommand } from './process.ts';
import { registryAccess } from './registry-access.ts';

const redirectUri = 'https://app.example.com/callback';

/** What access tokens of the provider are for. */
export const resource = 'https://keyward.example.com';

/** What a provider by better-auth issues: access tokens of an OpenID provider, or the tokens of its plugin jwt. */
type Issued = 'access tokens' | 'session tokens';

/** A provider by better-auth, installed anew from the registry and run as a process of its own. */
export async function startBetterAuth(issued: Issued = 'access tokens') {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTemporaryFolder());
  for (const file of ['package.json', 'package-lock.json', 'server.mjs'])
    await copyFile(join(root, 'test/support/better-auth', file), join(folder.path, file));
  const install = { cwd: folder.path, env: registryAccess(), timeout: 110_000 };
  const { code, stderr } = await runCommand(['npm', 'ci', '--ignore-scripts'], install);
  if (code !== 0) throw new Error(stderr);
  const mode = issued === 'session tokens' ? ['session'] : [];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'server.mjs', ...mode], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  starting.defer(async () => {
    if (child.exitCode !== null || !child.kill()) return;
    await once(child, 'exit');
  });
  const [printed] = await once(child.stdout, 'data');
  const { url, clientId } = JSON.parse(printed) as { url: string; clientId: string };
  const provider = { url, routes: `${url}/api/auth`, clientId };
  const stack = starting.move();
  return {
    url,
    /** The URL of its own routes, which is the issuer of its access tokens. */
    issuer: provider.routes,
    /** Somebody who signs up. */
    signUpPerson: (name: string) => signUpPerson(provider, name),
    /** The tokens of somebody who signs up, by the authorization code flow with PKCE. */
    signUp: async (name: string, scope: string) => (await signUpPerson(provider, name)).tokens(scope),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A provider, and its client. */
interface Provider {
  readonly url: string;
  readonly routes: string;
  readonly clientId: string;
}

/** Signs somebody up with a password, and keeps the cookies of their session. */
async function signUpPerson(provider: Provider, name: string) {
  const { url, routes } = provider;
  const email = `${name}@example.com`;
  const signedUp = await fetch(`${routes}/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, password: 'correct horse', name }),
  });
  const cookie = signedUp.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return {
    email,
    /** Calls a route of better-auth as this person: with a body by POST. */
    call: async (path: string, body?: object) => {
      const headers = { cookie, origin: url, 'content-type': 'application/json' };
      const method = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const answer = await fetch(routes + path, { headers, ...method });
      if (!answer.ok) throw new Error(`status ${answer.status} from ${path}: ${await answer.text()}`);
      return (await answer.json()) as Record<string, unknown>;
    },
    /** Tokens by the authorization code flow with PKCE. */
    tokens: (scope: string) => requestTokens(provider, cookie, scope),
  };
}

async function requestTokens({ routes, clientId }: Provider, cookie: string, scope: string) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: 'state',
    resource,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const authorized = await fetch(`${routes}/oauth2/authorize?${query}`, {
    headers: { cookie, accept: 'application/json' },
  });
  const { url: callback } = (await authorized.json()) as { url: string };
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: new URL(callback).searchParams.get('code') ?? '',
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: redirectUri,
    resource,
  });
  const answer = await fetch(`${routes}/oauth2/token`, { method: 'POST', body });
  return (await answer.json()) as { access_token: string; id_token: string };
}
