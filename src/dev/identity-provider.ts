import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider from 'oidc-provider';
import { useInteractionPages } from './interaction-pages.ts';
import { configure } from './provider-configuration.ts';
import type { DevelopmentIdentityProviderOptions } from './provider-options.ts';
import { registerSubjectGrant } from './subject-grant.ts';

/** An OpenID provider that believes everybody. */
export interface DevelopmentIdentityProvider {
  /** Makes a listener of node:http for every request under the issuer's path, which is handed over as it came. */
  callback(): (req: IncomingMessage, res: ServerResponse) => void;
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
