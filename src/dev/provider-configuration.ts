import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { type Adapter, type AdapterPayload, type Configuration, errors } from 'oidc-provider';
import { callbackPath } from '../pages/pages.ts';
import { developmentSubjectGrant } from './issuer.ts';
import { type DevelopmentIdentityProviderOptions, resource } from './provider-options.ts';
import { escapeHtml, page } from './provider-pages.ts';

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
        // A sign-in that is under way names the grant that it is to replace, and is no part of it.
        if (payload.grantId === grantId && payload.kind !== 'Interaction') store.delete(key);
      }),
  });
}

const hour = 3_600;
const fortnight = 14 * 24 * hour;

async function createSigningKey() {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };
}

/** The provider's own origin, by the names that a browser on this machine may know it by. */
const pageOrigins = (issuer: string): string[] => {
  const origins = ['127.0.0.1', 'localhost'].map(
    (hostname) => Object.assign(new URL(issuer), { hostname }).origin,
  );
  return [...new Set([new URL(issuer).origin, ...origins])];
};

const clientOf = ({ issuer, clientId }: DevelopmentIdentityProviderOptions) => ({
  client_id: clientId,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code', 'refresh_token', developmentSubjectGrant],
  redirect_uris: pageOrigins(issuer).map((origin) => origin + callbackPath),
});

/** What its access tokens are for, and how they look. */
export const resourceServerOf = ({ audience, scopes }: DevelopmentIdentityProviderOptions) => ({
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

/** The configuration of oidc-provider, with a new signing key. */
export async function configure(options: DevelopmentIdentityProviderOptions): Promise<Configuration> {
  const { pathname } = new URL(options.issuer);
  const origins = pageOrigins(options.issuer);
  return {
    adapter: createStore(),
    clients: [clientOf(options)],
    // A token is there for the asking, so no other site that is open in the browser may read the answer.
    clientBasedCORS: (_ctx, requestOrigin) => origins.includes(requestOrigin),
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      // They are for the provider: what else is on this origin does not get them.
      long: { httpOnly: true, sameSite: 'lax', path: pathname },
    },
    features: featuresOf(options),
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { url: (_ctx, { uid }) => `${pathname}/interaction/${uid}` },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    jwks: { keys: [await createSigningKey()] },
    // Nobody is asked for consent: a client that did not get a scope could only be a surprise.
    loadExistingGrant: async ({ oidc: { provider, client, session } }) => {
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope(options.scopes.join(' '));
      grant.addResourceScope(resource, options.scopes.join(' '));
      await grant.save();
      return grant;
    },
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
