import type { RequestListener } from 'node:http';
import type { EntityManager } from '@mikro-orm/core';
import type { AssertionSettings } from '../assertions/sign-assertions.ts';
import { scopeDescriptions } from '../auth/scopes.ts';
import type { Config, IssuerConfig } from '../config/config.ts';
import { plainIssuer, scopesOverOthers } from '../config/issuers.ts';
import { createAssertionKey, createKid } from '../secrets/assertion-keys.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { createDevelopmentIdentityProvider } from './identity-provider.ts';
import {
  developmentApi,
  developmentAudience,
  developmentClientId,
  developmentIssuer,
  developmentServer,
} from './issuer.ts';
import { organizationsClaim } from './organization-roles.ts';
import { seed } from './seed.ts';

interface Surroundings {
  readonly config: Config;
  /** The port that the server listens on. */
  readonly port: number;
  readonly em: EntityManager;
  readonly secrets: Secrets;
}

/** What signs assertions, if the configuration does not say: a key of this start. */
const developmentAssertions = ({ assertions }: Config): AssertionSettings => ({
  keys: assertions.keys ?? [createAssertionKey(createKid())],
  audiences: assertions.audiences ?? [developmentApi],
  seconds: assertions.seconds,
});

/**
 * Starts the development identity provider and seeds the database. `npm start` calls this if no identity provider is
 * configured.
 */
export async function startDevelopment({ config, port, em, secrets }: Surroundings) {
  const issuer = developmentIssuer({ host: config.host, port });
  const answer = await createDevelopmentIdentityProvider({
    issuer,
    publicUrl: config.publicUrl,
    audience: developmentAudience,
    clientId: developmentClientId,
    scopes: Object.keys(scopeDescriptions),
    production: config.production,
  });
  await seed(em, issuer, secrets, config.apiKeyPrefix);
  const { pathname } = new URL(issuer);
  const trusted: IssuerConfig = {
    issuer,
    jwksUri: undefined,
    audiences: [developmentAudience],
    clientIds: [],
    algorithms: config.algorithms,
    ...plainIssuer,
    scopeAliases: new Map(),
    organization: { claim: organizationsClaim, roles: '*.role', manage: ['admin'], name: '*.name' },
    grants: scopesOverOthers,
  };
  return {
    /**
     * The provider's configuration. The gateway trusts the provider like any other: by its issuer and its published
     * keys.
     */
    issuer: trusted,
    /** The server that signs in with a secret that everybody knows. */
    server: developmentServer,
    /** What signs assertions. */
    assertions: developmentAssertions(config),
    /** The client with which the pages for a browser sign in. */
    signIn: { clientId: developmentClientId, parameters: {} },
    /** Wraps a listener: requests under the provider's path go to the provider, all others to the listener. */
    mount:
      (next: RequestListener): RequestListener =>
      (request, response) =>
        request.url?.startsWith(`${pathname}/`) ? answer(request, response) : next(request, response),
  };
}
