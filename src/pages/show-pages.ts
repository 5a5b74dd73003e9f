import type { Scope } from '../auth/scopes.ts';
import type { BrowserClient, IssuerConfig, PagesConfig } from '../config/config.ts';
import { answerCompressible } from '../http/compressible.ts';
import type { Answer, Exchange, Middleware } from '../http/exchange.ts';
import { assetsPath, createPageFiles, type PageFile } from './page-files.ts';
import {
  describeScopes,
  type InputBounds,
  readSignInSettings,
  type SignInSettings,
} from './page-settings.ts';
import { type BrowserPage, contentSecurityPolicy, pagePaths, pagesByPath } from './pages.ts';

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

/** A page as it is shown, by what it is told. */
const pageAnswer = (
  page: BrowserPage,
  { content, mediaType }: PageFile,
  settings: object,
  signIn?: SignInSettings,
): Answer => ({
  status: 200,
  headers: {
    'content-type': mediaType,
    'content-security-policy': contentSecurityPolicy(page, signIn?.tokenEndpoint),
    // A page knows the window in which it lets a person sign in, and no other.
    'cross-origin-opener-policy': page.isPopup ? 'unsafe-none' : 'same-origin-allow-popups',
  },
  body: fillIn(`${content}`, { ...settings, signIn }),
});

const assetAnswer = (file: PageFile, exchange: Exchange) =>
  answerCompressible(file, exchange, {
    'content-type': file.mediaType,
    // Its name changes with what is in it.
    'cache-control': 'public, max-age=31536000, immutable',
    // A worker goes by the policy of its own file.
    'content-security-policy': "default-src 'self'",
  });

/** Leads a browser that asks for the service by its bare address to a page. */
const leadTo =
  (location: string): Middleware =>
  (next) =>
  async (exchange) =>
    exchange.path === '/' && isForBrowser(exchange)
      ? { status: 302, headers: { location, vary: 'Accept' }, body: '' }
      : next(exchange);

/**
 * Shows the pages for a browser: the console, GraphiQL and the API reference, and what they load.
 * @param issuer the identity provider at which a person signs in
 * @param config which pages there are
 * @param bounds of what is typed into them
 * @param scopes those that operations require
 * @param onFailure told why the identity provider could not be asked
 * @returns what stands before the handlers of their paths, by path
 */
export function showPages(
  issuer: IssuerConfig,
  config: PagesConfig,
  bounds: InputBounds,
  scopes: readonly Scope[],
  onFailure: (error: unknown) => void,
): ReadonlyMap<string, Middleware> {
  const readFile = createPageFiles();
  const currentSignIn = readSignIn(issuer, config, onFailure);
  const settings = {
    scopes: describeScopes(issuer, scopes),
    pages: Object.fromEntries(config.shown.map((name) => [name, pagePaths[name]])),
    sessionDuration: bounds.sessionDuration,
  };

  const showPage =
    (page: BrowserPage): Middleware =>
    (next) =>
    async (exchange) => {
      if (!isAskedFor(page, exchange)) return next(exchange);
      exchange.record.route = exchange.path;
      const file = await readFile(`/${page.file}`);
      return file ? pageAnswer(page, file, settings, currentSignIn()) : next(exchange);
    };
  const loadAsset: Middleware = (next) => async (exchange) => {
    if (exchange.method !== 'GET') return next(exchange);
    exchange.record.route = assetsPath;
    const file = await readFile(exchange.path);
    return file ? assetAnswer(file, exchange) : next(exchange);
  };

  const pages = [...pagesByPath(config.shown)].map(([path, page]) => [path, showPage(page)] as const);
  const root = config.shown.includes('console') ? [['/', leadTo(pagePaths.console)] as const] : [];
  return new Map([...pages, ...root, [assetsPath, loadAsset]]);
}

/** Whether a request is for a page, and not for the API that may have the same path. */
const isAskedFor = ({ sharesPath }: BrowserPage, exchange: Exchange): boolean =>
  sharesPath ? isForBrowser(exchange) : exchange.method === 'GET';

const isForBrowser = ({ method, headers }: Exchange): boolean =>
  method === 'GET' && headers['accept']?.includes('text/html') === true;
