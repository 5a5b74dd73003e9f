import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { type Adapter, type AdapterPayload, type Configuration, errors } from 'oidc-provider';
import { escapeHtml } from '../pages/page-content.ts';
import { callbackPath } from '../pages/pages.ts';
import { developmentSubjectGrant } from './issuer.ts';
import { type OrganizationRoles, organizationsClaim, organizationsClaimOf } from './organization-roles.ts';
import { page } from './provider-pages.ts';

/** The options of the development identity provider. */
export interface DevelopmentIdentityProviderOptions {
  /**
   * Its issuer identifier, such as `http://127.0.0.1:4000/idp`. The caller mounts the provider at the identifier's
   * path.
   */
  readonly issuer: string;
  /** The URL by which clients reach the pages, if it is another one. It counts only on this machine. */
  readonly publicUrl?: string | undefined;
  /** The `aud` of its access tokens. */
  readonly audience: string;
  /** Its one client, which is public. */
  readonly clientId: string;
  /** The scopes that a token may carry. */
  readonly scopes: readonly string[];
  /** Whether this process serves real people. Then the provider refuses to start. */
  readonly production: boolean;
}

/** The only resource of the provider (RFC 8707): Keyward, for every client. */
export const resource = 'urn:keyward:api';

/** Whether a value is a subject: not blank, and at most 255 characters (OpenID Connect Core, section 2). */
export const isSubject = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 255;

/**
 * Makes an in-memory store. The library's own one prints warnings on the console; this one behaves the same without
 * them. Its content is lost when the process ends.
 */
function createStore(): (model: string) => Adapter {
  const store = new LRUCache<string, AdapterPayload>({ max: 10_000 });
  const now = () => Math.floor(Date.now() / 1_000);
  return (model) => ({
    upsert: async (id, payload, expiresIn = 0) =>
      void store.set(`${model}:${id}`, payload, { ttl: expiresIn * 1_000 }),
    find: async (id) => store.get(`${model}:${id}`),
    findByUid: async (uid) =>
      store.find((payload, key) => key.startsWith(`${model}:`) && payload.uid === uid),
    // Only the device flow calls this, and the device flow is off.
    findByUserCode: async () => undefined,
    consume: async (id) => void Object.assign(store.get(`${model}:${id}`) ?? {}, { consumed: now() }),
    destroy: async (id) => void store.delete(`${model}:${id}`),
    revokeByGrantId: async (grantId) =>
      [...store.entries()].forEach(([key, payload]) => {
        // A running sign-in names the grant that it will replace, but does not belong to that grant.
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

/**
 * Where the pages are, as URLs without a slash at the end: a browser on this machine may use the provider's host,
 * `127.0.0.1` or `localhost`, and a proxy there.
 */
const pageUrls = ({ issuer, publicUrl }: DevelopmentIdentityProviderOptions): string[] => {
  const hosts = [new URL(issuer).hostname, '127.0.0.1', 'localhost'];
  const origins = hosts.map((hostname) => Object.assign(new URL(issuer), { hostname }).origin);
  const isHere = publicUrl !== undefined && hosts.includes(new URL(publicUrl).hostname);
  return [...new Set([...origins, ...(isHere ? [publicUrl] : [])])];
};

const clientOf = (options: DevelopmentIdentityProviderOptions) => ({
  client_id: options.clientId,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code', 'refresh_token', developmentSubjectGrant],
  redirect_uris: pageUrls(options).map((url) => url + callbackPath),
});

/** The audience, the scopes and the format of the provider's access tokens. */
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
  // The UserInfo endpoint would accept no token of this provider, because all its tokens are JWTs for Keyward.
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

/**
 * The organisations of people: by the session's `uid` for those of a sign-in, and by the grant's id for those of its
 * tokens. No entry: no organisations.
 */
export type Memberships = LRUCache<string, OrganizationRoles>;

/** Makes an empty store of memberships. */
export const createMemberships = (): Memberships => new LRUCache({ max: 10_000 });

/**
 * Makes a grant of every scope for each sign-in. No person has to consent: in development, a client without one of its
 * scopes would only surprise. The grant has the organisations of the sign-in, or those that the session has from an
 * earlier one.
 */
const grantEverything =
  (scopes: string, memberships: Memberships): Configuration['loadExistingGrant'] =>
  async ({ oidc: { provider, client, session, result } }) => {
    const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
    grant.addOIDCScope(scopes);
    grant.addResourceScope(resource, scopes);
    const grantId = await grant.save();
    const uid = session?.uid ?? '';
    if (result?.login) memberships.set(uid, result.login['organizations'] as OrganizationRoles);
    memberships.set(grantId, memberships.get(uid) ?? {});
    return grant;
  };

/** The configuration of oidc-provider, with a new signing key. */
export async function configure(
  options: DevelopmentIdentityProviderOptions,
  memberships: Memberships,
): Promise<Configuration> {
  const { pathname } = new URL(options.issuer);
  const origins = pageUrls(options).map((url) => new URL(url).origin);
  return {
    adapter: createStore(),
    clients: [clientOf(options)],
    // The provider issues a token to anyone who asks, so CORS keeps the answer from all other sites that are open in
    // the browser.
    clientBasedCORS: (_ctx, requestOrigin) => origins.includes(requestOrigin),
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      // The path limits the cookies to the provider, so nothing else on this origin receives them.
      long: { httpOnly: true, sameSite: 'lax', path: pathname },
    },
    extraTokenClaims: (_ctx, token) => {
      const organizations = 'grantId' in token ? (memberships.get(token.grantId ?? '') ?? {}) : {};
      if (Object.keys(organizations).length === 0) return undefined;
      return { [organizationsClaim]: organizationsClaimOf(organizations) };
    },
    features: featuresOf(options),
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { url: (_ctx, { uid }) => `${pathname}/interaction/${uid}` },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    jwks: { keys: [await createSigningKey()] },
    loadExistingGrant: grantEverything(options.scopes.join(' '), memberships),
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
