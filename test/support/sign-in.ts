import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { developmentClientId } from '../../src/dev/issuer.ts';

/** What a provider hands out for one sign-in. */
export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
}

const form = (parameters: Record<string, string>) => ({
  method: 'POST',
  body: new URLSearchParams(parameters),
});

/** Follows redirects and fills in forms, with the cookies that it is given, until it is sent to the callback. */
async function visit(start: URL, subject: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let url = start;
  let body: ReturnType<typeof form> | undefined;
  while (url.pathname !== '/sign-in/callback') {
    const cookie = [...cookies.values()].join('; ');
    const response = await fetch(url, { ...body, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair);
    }
    const location = response.headers.get('location');
    if (!location && response.status !== 200) throw new Error(`status ${response.status} from ${url}`);
    // A page without a redirect is one that asks who it is, or whether they allow it.
    body = location ? undefined : form({ login: subject });
    url = location ? new URL(location, url) : url;
  }
  return url.searchParams;
}

const requestTokens = async (endpoint: string, parameters: Record<string, string>): Promise<Tokens> => {
  const response = await fetch(endpoint, form({ client_id: developmentClientId, ...parameters }));
  if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
  return (await response.json()) as Tokens;
};

/**
 * Signs somebody in at the development identity provider as an application does: authorization code, with PKCE.
 * @param issuer the provider's issuer identifier
 */
export async function signIn(issuer: string, subject: string, scope: string) {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { authorization_endpoint, token_endpoint } = (await response.json()) as Record<string, string>;
  const verifier = randomBytes(32).toString('base64url');
  const redirect_uri = `${new URL(issuer).origin}/sign-in/callback`;
  const request = new URLSearchParams({
    client_id: developmentClientId,
    response_type: 'code',
    redirect_uri,
    scope,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const answer = await visit(new URL(`${authorization_endpoint}?${request}`), subject);
  const code = answer.get('code');
  if (code === null) throw new Error(`no code: ${answer}`);
  const tokens = await requestTokens(`${token_endpoint}`, {
    grant_type: 'authorization_code',
    code,
    redirect_uri,
    code_verifier: verifier,
  });
  return {
    tokens,
    /** Who is signed in, as the ID token says. */
    subject: decodeJwt(tokens.id_token).sub,
    refresh: () =>
      requestTokens(`${token_endpoint}`, {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
      }),
  };
}
