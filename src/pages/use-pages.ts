import type { FetchAPI, Plugin } from 'graphql-yoga';
import type { BrowserClient, IssuerConfig, PagesConfig } from '../config/config.ts';
import { takesGzip } from '../http/takes-gzip.ts';
import type { WithRecord } from '../observability/request-record.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { assetsPath, createPageFiles } from './page-files.ts';
import { describeScopes, readSignInSettings, type SignInSettings } from './page-settings.ts';
import { type Page, pagePaths, pagesByPath } from './pages.ts';

/** When a provider that did not answer is asked again, in milliseconds. */
const retryAfter = 30_000;

/**
 * Begins to read where the pages sign in, and tries again until the provider tells. No page waits for it: anybody can
 * ask for pages, as many as there is room for requests.
 * @param onFailure told each time why the provider could not be asked
 * @returns what is known by now; undefined where the pages do not sign in, or not yet
 */
function readSignIn(
  { issuer }: IssuerConfig,
  { signIn }: PagesConfig,
  onFailure: (error: unknown) => void,
): () => SignInSettings | undefined {
  let settings: SignInSettings | undefined;
  const read = async (client: BrowserClient): Promise<void> => {
    try {
      settings = await readSignInSettings(issuer, client);
    } catch (error) {
      onFailure(error);
      setTimeout(read, retryAfter, client).unref();
    }
  };
  if (signIn) void read(signIn);
  return () => settings;
}

const empty = '<script type="application/json" id="settings"></script>';

/** What a page is told goes into it as data: no script, and no request of its own. */
const fillIn = (html: string, settings: object): string =>
  html.replace(empty, () =>
    empty.replace('></', `>${JSON.stringify(settings).replaceAll('<', '\\u003c')}</`),
  );

/**
 * Shows the pages for a browser: the console, GraphiQL and the API reference, and what they load.
 * @param issuer the identity provider at which a person signs in
 * @param config which pages there are
 * @param onFailure told why the identity provider could not be asked
 */
export function usePages(
  issuer: IssuerConfig,
  config: PagesConfig,
  onFailure: (error: unknown) => void,
): Plugin<WithRecord, WithRecord> {
  const pages = pagesByPath(config.shown);
  const readFile = createPageFiles();
  const currentSignIn = readSignIn(issuer, config, onFailure);
  const settings = {
    scopes: describeScopes(issuer),
    pages: Object.fromEntries(config.shown.map((name) => [name, pagePaths[name]])),
  };

  const show = async (page: Page, { Response }: FetchAPI) => {
    const file = await readFile(`/${page.file}`);
    const signIn = currentSignIn();
    return (
      file &&
      new Response(fillIn(`${file.content}`, { ...settings, signIn }), {
        headers: {
          'content-type': file.mediaType,
          'content-security-policy': contentSecurityPolicy(page, signIn?.tokenEndpoint),
          // A page knows the window in which it lets a person sign in, and no other.
          'cross-origin-opener-policy': page.isPopup ? 'unsafe-none' : 'same-origin-allow-popups',
          'referrer-policy': 'no-referrer',
        },
      })
    );
  };
  const load = async (pathname: string, isGzipped: boolean, { Response }: FetchAPI) => {
    const file = await readFile(pathname);
    if (!file) return undefined;
    const headers = {
      'content-type': file.mediaType,
      ...(isGzipped && { 'content-encoding': 'gzip' }),
      vary: 'Accept-Encoding',
      // Its name changes with what is in it.
      'cache-control': 'public, max-age=31536000, immutable',
      // A worker goes by the policy of its own file.
      'content-security-policy': "default-src 'self'",
    };
    return new Response(isGzipped ? file.gzipped : file.content, { headers });
  };

  const answer = (page: Page | undefined, pathname: string, request: Request, fetchAPI: FetchAPI) =>
    page ? show(page, fetchAPI) : load(pathname, takesGzip(request), fetchAPI);

  return {
    onRequest: ({ request, url: { pathname }, endResponse, fetchAPI, serverContext: { record } }) => {
      if (request.method !== 'GET') return;
      const page = pages.get(pathname);
      if (!page && !pathname.startsWith(assetsPath)) return;
      if (page?.sharesPath && !request.headers.get('accept')?.includes('text/html')) return;
      record.route = page ? pathname : assetsPath;
      return answer(page, pathname, request, fetchAPI).then((response) => response && endResponse(response));
    },
  };
}
