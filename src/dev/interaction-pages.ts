import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import { isSubject } from './provider-options.ts';
import { loginPage, pagePolicy } from './provider-pages.ts';

/** The fields of a form; undefined where it is larger than any form of these pages. */
async function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  let body = '';
  for await (const chunk of req.setEncoding('utf8')) {
    body += chunk;
    if (body.length > 10_000) return undefined;
  }
  return new URLSearchParams(body);
}

/** Adds the page on which a person says who they are. */
export function useInteractionPages(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next();
    // Refuses whoever was not sent here.
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
