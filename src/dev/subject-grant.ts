import { errors, type default as Provider } from 'oidc-provider';
import { developmentSubjectGrant } from './issuer.ts';
import { resourceServerOf } from './provider-configuration.ts';
import { type DevelopmentIdentityProviderOptions, isSubject, resource } from './provider-options.ts';

/** The scopes that a token request asks for, each once; all where it names none. */
function requestedScope(scope: string | undefined, allowed: readonly string[]): string {
  const requested = [...new Set(scope === undefined ? allowed : scope.split(' '))];
  const unknown = requested.find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw new errors.InvalidScope('requested scope is not known', unknown);
  return requested.join(' ');
}

/** Adds the grant that gives a token for whichever subject is named. */
export function registerSubjectGrant(provider: Provider, options: DevelopmentIdentityProviderOptions): void {
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
