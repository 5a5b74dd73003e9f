import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import { isSubject, resource } from './provider-options.ts';
import { consentPage, loginPage } from './provider-pages.ts';

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
export function useInteractionPages(provider: Provider): void {
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
