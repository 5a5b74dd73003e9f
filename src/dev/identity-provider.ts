import type { IncomingMessage, RequestListener } from 'node:http';
import Provider, { errors } from 'oidc-provider';
import { developmentSubjectGrant } from './issuer.ts';
import {
  configure,
  type DevelopmentIdentityProviderOptions,
  isSubject,
  resource,
  resourceServerOf,
} from './provider-configuration.ts';
import { loginPage, pagePolicy } from './provider-pages.ts';

/**
 * Makes a real OpenID provider for development, which asks for no password. It signs a token for anyone who asks. When
 * the process ends, it forgets everything, its signing key included.
 * @returns the listener for all requests under the issuer's path, which takes the requests unchanged
 * @throws {Error} in production
 */
export async function createDevelopmentIdentityProvider(
  options: DevelopmentIdentityProviderOptions,
): Promise<RequestListener> {
  if (options.production) {
    throw new Error('The development identity provider lets anyone in, so it does not start in production.');
  }
  const provider = new Provider(options.issuer, await configure(options));
  registerSubjectGrant(provider, options);
  useInteractionPages(provider);
  const mountPath = new URL(options.issuer).pathname;
  const listener = provider.callback();
  return (req, res) => {
    // Imitates how Express mounts an app: the library routes by `url` and learns its own path from `originalUrl`.
    Object.assign(req, { originalUrl: req.url, url: req.url?.slice(mountPath.length) });
    void listener(req, res);
  };
}

/**
 * The scopes of a token request, each once; all scopes if the request names none.
 * @throws {errors.InvalidScope} for an unknown scope
 */
function requestedScope(scope: string | undefined, allowed: readonly string[]): string {
  const requested = [...new Set(scope === undefined ? allowed : scope.split(' '))];
  const unknown = requested.find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw new errors.InvalidScope('requested scope is not known', unknown);
  return requested.join(' ');
}

/** Adds the grant type that issues a token for any named subject. */
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

/** Reads the fields of a form; undefined if the form is larger than 10,000 characters. */
async function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  let body = '';
  for await (const chunk of req.setEncoding('utf8')) {
    body += chunk;
    if (body.length > 10_000) return undefined;
  }
  return new URLSearchParams(body);
}

/** Adds the page where a person enters a name. */
function useInteractionPages(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next();
    // Refuses a request that does not belong to a running sign-in.
    await provider.interactionDetails(ctx.req, ctx.res);
    ctx.set({ 'cache-control': 'no-store', 'content-security-policy': pagePolicy });
    if (ctx.method !== 'POST') {
      ctx.type = 'html';
      ctx.body = loginPage;
      return;
    }
    const accountId = (await readForm(ctx.req))?.get('login');
    if (!isSubject(accountId)) return ctx.throw(400, 'The name must have 1 to 255 characters.');
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId } });
  });
}
