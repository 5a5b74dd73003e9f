import type { IncomingMessage, RequestListener } from 'node:http';
import Provider, { errors } from 'oidc-provider';
import { developmentSubjectGrant } from './issuer.ts';
import { defaultRole, type OrganizationRoles, organizationsFault } from './organization-roles.ts';
import {
  configure,
  createMemberships,
  type DevelopmentIdentityProviderOptions,
  isSubject,
  type Memberships,
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
  const memberships = createMemberships();
  const provider = new Provider(options.issuer, await configure(options, memberships));
  registerSubjectGrant(provider, options, memberships);
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

/**
 * The organisations of a token request; none if the request names none.
 * @param text a JSON object: the id of each organisation, and the subject's role in it
 * @throws {errors.InvalidRequest} for anything else
 */
function requestedOrganizations(text = '{}'): OrganizationRoles {
  const organizations = parseObject(text);
  if (organizations === undefined)
    throw new errors.InvalidRequest('organizations must be a JSON object of ids and roles');
  const fault = organizationsFault(organizations);
  if (fault !== undefined) throw new errors.InvalidRequest(fault);
  return organizations as OrganizationRoles;
}

/** Parses a JSON object; undefined if the text is none. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Adds the grant type that issues a token for any named subject. */
function registerSubjectGrant(
  provider: Provider,
  options: DevelopmentIdentityProviderOptions,
  memberships: Memberships,
): void {
  const resourceServer = new provider.ResourceServer(resource, resourceServerOf(options));
  provider.registerGrantType<{ subject?: string; scope?: string; organizations?: string }>(
    developmentSubjectGrant,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { subject: accountId } = params;
      if (!isSubject(accountId)) throw new errors.InvalidRequest('subject must have 1 to 255 characters');
      const scope = requestedScope(params.scope, options.scopes);
      const organizations = requestedOrganizations(params.organizations);
      const grant = new provider.Grant({ accountId, clientId: client.clientId });
      grant.addResourceScope(resource, scope);
      const grantId = await grant.save();
      memberships.set(grantId, organizations);
      const gty = developmentSubjectGrant;
      const token = new provider.AccessToken({ accountId, client, grantId, gty, resourceServer, scope });
      ctx.body = {
        access_token: await token.save(),
        token_type: token.tokenType,
        expires_in: token.expiration,
        scope,
      };
    },
    ['subject', 'scope', 'organizations'],
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

/** The organisation of a sign-in form, with its role; none if the field is empty. */
function formOrganizations(form: URLSearchParams | undefined): OrganizationRoles {
  const id = form?.get('organization')?.trim() ?? '';
  return id === '' ? {} : { [id]: form?.get('role') ?? defaultRole };
}

/** Adds the page where a person enters a name. */
function useInteractionPages(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next();
    // Refuses a request that does not belong to a running sign-in.
    await provider.interactionDetails(ctx.req, ctx.res);
    ctx.set({ 'cache-control': 'no-store', 'content-security-policy': pagePolicy });
    ctx.type = 'html';
    if (ctx.method !== 'POST') {
      ctx.body = loginPage();
      return;
    }
    const form = await readForm(ctx.req);
    const accountId = form?.get('login');
    const organizations = formOrganizations(form);
    const fault = isSubject(accountId)
      ? organizationsFault(organizations)
      : 'The name must have 1 to 255 characters.';
    if (fault !== undefined || !isSubject(accountId)) {
      ctx.status = 400;
      ctx.body = loginPage(fault);
      return;
    }
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId, organizations } });
  });
}
