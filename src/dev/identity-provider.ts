import { generateKeyPair, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import Provider, { type Adapter, type AdapterPayload, type Configuration, errors } from 'oidc-provider';
import { developmentSubjectGrant } from './issuer.ts';

/** What the development identity provider is made from. */
export interface DevelopmentIdentityProviderOptions {
  /** Its issuer identifier; the path is where the caller mounts it: `http://127.0.0.1:4000/idp`. */
  readonly issuer: string;
  /** The `aud` of its access tokens. */
  readonly audience: string;
  /** Its one client, which is public. */
  readonly clientId: string;
  /** The scopes that a token may carry. */
  readonly scopes: readonly string[];
  /** Whether this process serves real people; the provider then refuses to be made. */
  readonly production: boolean;
}

/** An OpenID provider that believes everybody. */
export interface DevelopmentIdentityProvider {
  /** Makes a listener of node:http for every request under the issuer's path, which is handed over as it came. */
  callback(): (req: IncomingMessage, res: ServerResponse) => void;
}

/** The one resource of the provider (RFC 8707): Keyward, whoever asks. */
const resource = 'urn:keyward:api';

const hour = 3_600;
const fortnight = 14 * 24 * hour;

/** A subject has at most 255 characters (OpenID Connect Core, 2). */
const isSubject = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 255;

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

// The library's own pages load a font from elsewhere and warn on the console, so these stand in for them.
const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<main><h1>${title}</h1>${content}</main>
</html>
`;

const loginPage = page(
  'Sign in',
  `<p>Development only: any name will do, no password is asked for.</p>
<form method="post"><label>Name <input name="login" required maxlength="255" autofocus></label>
<button>Sign in</button></form>`,
);

const consentPage = (clientId: string, scope: string) =>
  page(
    'Allow access',
    `<p>${escapeHtml(clientId)} asks for: ${escapeHtml(scope)}</p><form method="post"><button>Allow</button></form>`,
  );

/** The library's own store in memory warns on the console; this one does the same and is forgotten with it. */
function createStore(): (model: string) => Adapter {
  const store = new LRUCache<string, AdapterPayload>({ max: 10_000 });
  const now = () => Math.floor(Date.now() / 1_000);
  return (model) => ({
    upsert: async (id, payload, expiresIn = 0) =>
      void store.set(`${model}:${id}`, payload, { ttl: expiresIn * 1_000 }),
    find: async (id) => store.get(`${model}:${id}`),
    findByUid: async (uid) =>
      store.find((payload, key) => key.startsWith(`${model}:`) && payload.uid === uid),
    // Only the device flow asks, and it is off.
    findByUserCode: async () => undefined,
    consume: async (id) => void Object.assign(store.get(`${model}:${id}`) ?? {}, { consumed: now() }),
    destroy: async (id) => void store.delete(`${model}:${id}`),
    revokeByGrantId: async (grantId) =>
      [...store.entries()].forEach(([key, payload]) => {
        if (payload.grantId === grantId) store.delete(key);
      }),
  });
}

async function createSigningKey() {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };
}

const clientOf = ({ issuer, clientId }: DevelopmentIdentityProviderOptions) => ({
  client_id: clientId,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code', 'refresh_token', developmentSubjectGrant],
  redirect_uris: [`${new URL(issuer).origin}/callback`],
});

const resourceServerOf = ({ audience, scopes }: DevelopmentIdentityProviderOptions) => ({
  scope: scopes.join(' '),
  audience,
  accessTokenTTL: hour,
  accessTokenFormat: 'jwt' as const,
  jwt: { sign: { alg: 'RS256' as const } },
});

const featuresOf = (options: DevelopmentIdentityProviderOptions): Configuration['features'] => ({
  devInteractions: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  // It would take no token of ours: all are JWTs for Keyward.
  userinfo: { enabled: false },
  resourceIndicators: {
    enabled: true,
    defaultResource: () => resource,
    getResourceServerInfo: (_ctx, indicator) => {
      if (indicator !== resource) throw new errors.InvalidTarget();
      return resourceServerOf(options);
    },
  },
});

async function configure(options: DevelopmentIdentityProviderOptions): Promise<Configuration> {
  const { origin, pathname } = new URL(options.issuer);
  return {
    adapter: createStore(),
    clients: [clientOf(options)],
    // A token is there for the asking, so no other site that is open in the browser may read the answer.
    clientBasedCORS: (_ctx, requestOrigin) => requestOrigin === origin,
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    features: featuresOf(options),
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { url: (_ctx, { uid }) => `${pathname}/interaction/${uid}` },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    jwks: { keys: [await createSigningKey()] },
    renderError: (ctx, { error, error_description }) => {
      ctx.type = 'html';
      ctx.body = page('This did not work', `<p>${escapeHtml(error_description ?? error)}</p>`);
    },
    scopes: [...options.scopes],
    ttl: {
      AccessToken: hour,
      AuthorizationCode: 60,
      Grant: fortnight,
      IdToken: hour,
      Interaction: hour,
      RefreshToken: fortnight,
      Session: fortnight,
    },
  };
}

/** The scopes that a token request asks for, each once; all where it names none. */
function requestedScope(scope: string | undefined, allowed: readonly string[]): string {
  const requested = [...new Set(scope === undefined ? allowed : scope.split(' '))];
  const unknown = requested.find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw new errors.InvalidScope('requested scope is not known', unknown);
  return requested.join(' ');
}

/** Adds the grant that gives a token for whichever subject is named. */
function registerSubjectGrant(provider: Provider, options: DevelopmentIdentityProviderOptions): void {
  const resourceServer = new provider.ResourceServer(resource, resourceServerOf(options));
  provider.registerGrantType<{ subject?: string; scope?: string }>(
    developmentSubjectGrant,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { subject: accountId } = params;
      if (!isSubject(accountId)) throw new errors.InvalidRequest('subject must have 1 to 255 characters');
      const scope = requestedScope(params.scope, options.scopes);
      const grant = new provider.Grant({ accountId, clientId: client.clientId });
      grant.addResourceScope(resource, scope);
      const grantId = await grant.save();
      const gty = developmentSubjectGrant;
      const token = new provider.AccessToken({ accountId, client, grantId, gty, resourceServer, scope });
      ctx.body = {
        access_token: await token.save(),
        token_type: token.tokenType,
        expires_in: token.expiration,
        scope,
      };
    },
    ['subject', 'scope'],
  );
}

/** The fields of a form; undefined where it is larger than any form of these pages. */
async function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  let body = '';
  for await (const chunk of req.setEncoding('utf8')) {
    body += chunk;
    if (body.length > 10_000) return undefined;
  }
  return new URLSearchParams(body);
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** Everything that was asked for is granted. */
async function consent(provider: Provider, { grantId, params, session }: Interaction) {
  const { client_id: clientId, scope = '' } = params as { client_id: string; scope?: string };
  const existing = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = existing ?? new provider.Grant({ accountId: session?.accountId, clientId });
  grant.addOIDCScope(scope);
  grant.addResourceScope(resource, scope);
  return { consent: { grantId: await grant.save() } };
}

/** Adds the pages on which a person says who they are, and that the client may act for them. */
function useInteractionPages(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next();
    const interaction = await provider.interactionDetails(ctx.req, ctx.res);
    const { prompt, params } = interaction;
    ctx.set({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    if (ctx.method !== 'POST') {
      ctx.type = 'html';
      ctx.body =
        prompt.name === 'login' ? loginPage : consentPage(`${params['client_id']}`, `${params['scope']}`);
      return;
    }
    const accountId = (await readForm(ctx.req))?.get('login');
    if (prompt.name !== 'login') {
      return provider.interactionFinished(ctx.req, ctx.res, await consent(provider, interaction));
    }
    if (!isSubject(accountId)) return ctx.throw(400, 'The name must have 1 to 255 characters.');
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId } });
  });
}

/**
 * Makes a real OpenID provider for development: it signs tokens for whoever asks, and forgets everything,
 * its signing key included, when the process ends.
 * @throws {Error} in production
 */
export async function createDevelopmentIdentityProvider(
  options: DevelopmentIdentityProviderOptions,
): Promise<DevelopmentIdentityProvider> {
  if (options.production) {
    throw new Error('The development identity provider lets anyone in, so it does not start in production.');
  }
  const provider = new Provider(options.issuer, await configure(options));
  registerSubjectGrant(provider, options);
  useInteractionPages(provider);
  const mountPath = new URL(options.issuer).pathname;
  return {
    callback: () => {
      const listener = provider.callback();
      return (req, res) => {
        // As Express mounts an app: the library routes by `url` and learns its own path from `originalUrl`.
        Object.assign(req, { originalUrl: req.url, url: req.url?.slice(mountPath.length) });
        void listener(req, res);
      };
    },
  };
}
