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

/** A provider by better-auth, installed anew from the registry and run as a process of its own. */
export async function startBetterAuth() {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTemporaryFolder());
  for (const file of ['package.json', 'package-lock.json', 'server.mjs'])
    await copyFile(join(root, 'test/support/better-auth', file), join(folder.path, file));
  const install = { cwd: folder.path, env: registryAccess(), timeout: 110_000 };
  const { code, stderr } = await runCommand(['npm', 'ci', '--ignore-scripts'], install);
  if (code !== 0) throw new Error(stderr);
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  starting.defer(async () => {
    if (child.exitCode !== null || !child.kill()) return;
    await once(child, 'exit');
  });
  const [printed] = await once(child.stdout, 'data');
  const { url, clientId } = JSON.parse(printed) as { url: string; clientId: string };
  const issuer = `${url}/api/auth`;
  const stack = starting.move();
  return {
    issuer,
    /** The tokens of somebody who signs up, by the authorization code flow with PKCE. */
    signUp: (name: string, scope: string) => signUp({ url, issuer, clientId }, name, scope),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A provider, and its client. */
interface Provider {
  readonly url: string;
  readonly issuer: string;
  readonly clientId: string;
}

async function signUp({ url, issuer, clientId }: Provider, name: string, scope: string) {
  const signedUp = await fetch(`${issuer}/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email: `${name}@example.com`, password: 'correct horse', name }),
  });
  const cookie = signedUp.headers.getSetCookie().map((each) => each.split(';')[0]);
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
  const authorized = await fetch(`${issuer}/oauth2/authorize?${query}`, {
    headers: { cookie: cookie.join('; '), accept: 'application/json' },
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
  const answer = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body });
  return (await answer.json()) as { access_token: string; id_token: string };
}
