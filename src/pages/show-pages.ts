import type { Scope } from '../auth/scopes.ts';
import type { BrowserClient, Config, IssuerConfig, PagesConfig } from '../config/config.ts';
import { usualLocale } from '../config/values/locales.ts';
import { answerCompressible } from '../http/compressible.ts';
import type { Exchange, Middleware } from '../http/exchange.ts';
import { answerAsset } from './answer-asset.ts';
import { elementsPath, serveElements } from './elements.ts';
import {
  createMessageFiles,
  laterParts,
  type MessageFiles,
  type MessagePart,
  tagPattern,
} from './messages/message-files.ts';
import { type PageMessages, readMessages } from './messages/read-messages.ts';
import { escapeHtml, keepContent, type ShownService } from './page-content.ts';
import { assetsPath, createPageFiles, type PageFile, type PageFiles } from './page-files.ts';
import { describeScopes, readSignInSettings, type SignInSettings } from './page-settings.ts';
import { type BrowserPage, callbackPage, contentSecurityPolicy, pages } from './pages.ts';
import { preferredOf } from './preferred.ts';
import type { ProviderLook } from './provider-look.ts';

/** The pause before the next attempt to read the provider's metadata, in milliseconds. */
const retryAfter = 30_000;

/**
 * Starts to read the sign-in settings, and tries again until the provider answers. A page does not wait for the
 * provider: anyone may request pages, and waiting requests would take the room of others.
 * @param onFailure gets the error of each failed attempt
 * @returns a function that gives the settings known so far; undefined if the pages have no sign-in, or the provider
 *   has not answered yet
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

/** The headers of an answer with a page. */
const pageHeaders = (page: BrowserPage, mediaType: string, signIn?: SignInSettings) => ({
  'content-type': mediaType,
  'content-security-policy': contentSecurityPolicy(page, signIn?.tokenEndpoint),
  // A page keeps a reference to the sign-in window that it opens, and to no other window.
  'cross-origin-opener-policy': page.isPopup ? 'unsafe-none' : 'same-origin-allow-popups',
});

/** Redirects a browser that requests `/` to a page. */
const leadTo =
  (location: string): Middleware =>
  (next) =>
  async (exchange) =>
    exchange.path === '/' && isForBrowser(exchange)
      ? { status: 302, headers: { location, vary: 'Accept' }, body: '' }
      : next(exchange);

/** The pages to serve, and the look and the texts that the provider gives them. */
export type ShownPages = PagesConfig & {
  readonly look?: ProviderLook | undefined;
  readonly messages?: PageMessages | undefined;
};

/** Gives a page the provider's look, and their name in its title. */
const brand = (html: string, { look, providerName }: ShownPages): string =>
  html
    .replace('</head>', () => `${look?.head ?? ''}</head>`)
    .replace('· Keyward</title>', (title) =>
      providerName === undefined ? title : `· ${escapeHtml(providerName)}</title>`,
    );

/** Where the console loads texts, followed by `LANGUAGE.PART.HASH`: the last changes with the content. */
const messagesBeginning = `${assetsPath}messages-`;

/** See {@link messagesBeginning}. */
const messagesPath = new RegExp(
  `^${messagesBeginning}(?<tag>${tagPattern})\\.(?<name>[a-z]+)\\.(?<hash>[\\w-]+)$`,
);

/** The texts that a path of the console's asks for: also with other content, as of another process. */
async function findMessages(messages: MessageFiles, path: string) {
  const { tag = '', name, hash } = messagesPath.exec(path)?.groups ?? {};
  const part = laterParts.find((each) => each === name);
  if (part === undefined) return undefined;
  const file = await messages(tag, part);
  return { file: { ...file, mediaType: 'application/json' }, isExact: file.hash === hash };
}

/**
 * The language of a page, if it has several: its locale, the texts of its first view, which must not wait for one more
 * request, and the paths of the other parts.
 */
async function describeLanguage(messages: MessageFiles, locale: string | undefined, publicPath: string) {
  if (locale === undefined) return undefined;
  const pathOf = async (part: MessagePart) => {
    const { language, hash } = await messages(locale, part);
    return [part, `${publicPath}${messagesBeginning}${language}.${part}.${hash}`] as const;
  };
  const paths = await Promise.all(laterParts.map(pathOf));
  const { content } = await messages(locale, 'main');
  return {
    locale,
    main: (JSON.parse(`${content}`) as { readonly messages: object }).messages,
    later: Object.fromEntries(paths),
  };
}

/** Serves the assets that the pages load, among them those of the provider's look, and the console's texts. */
const serveAssets =
  (files: PageFiles, look: ProviderLook | undefined, messages: MessageFiles): Middleware =>
  (next) =>
  async (exchange) => {
    if (exchange.method !== 'GET') return next(exchange);
    exchange.record.route = assetsPath;
    const found = look?.find(exchange.path) ?? (await findMessages(messages, exchange.path));
    if (found) return answerAsset(found.file, exchange, found.isExact);
    const file = await files.read(exchange.path);
    return file ? answerAsset(file, exchange) : next(exchange);
  };

/** What all pages are told. The paths begin with that of the service's URL. */
const describeService = (
  issuer: IssuerConfig,
  config: ShownPages,
  service: Pick<Config, 'apiKeyPermissions' | 'sessionDuration'> & ShownService,
  scopes: ReturnType<typeof describeScopes>,
) => ({
  scopes,
  organizations: issuer.organization !== undefined,
  pages: Object.fromEntries(config.shown.map((name) => [name, service.publicPath + pages[name].path])),
  sessionDuration: service.sessionDuration,
  apiKeyHeader: service.apiKeyHeader,
  apiKeyPermissions: service.apiKeyPermissions,
  providerName: config.providerName,
  providerSentence: config.providerSentence,
  providerLogo: config.look?.logo && {
    ...config.look.logo,
    src: service.publicPath + config.look.logo.src,
  },
  providerLinks: config.providerLinks,
});

/**
 * Serves the pages for a browser (the console, GraphiQL and the API reference) and the assets that they load.
 * @param issuer the identity provider at which a person signs in
 * @param config the pages to serve
 * @param service what the pages know of the configuration
 * @param scopes the scopes that operations require
 * @param onFailure gets the error if the identity provider does not answer
 * @returns the middleware of each path; it runs before the path's handler
 */
export function showPages(
  issuer: IssuerConfig,
  config: ShownPages,
  service: Pick<Config, 'apiKeyPermissions' | 'sessionDuration'> & ShownService,
  scopes: readonly Scope[],
  onFailure: (error: unknown) => void,
): ReadonlyMap<string, Middleware> {
  const { look } = config;
  const files = createPageFiles();
  const messages = config.messages ?? readMessages(config);
  const consoleMessages = createMessageFiles(messages, false);
  const currentSignIn = readSignIn(issuer, config, onFailure);
  const settings = describeService(issuer, config, service, describeScopes(issuer, scopes));

  const showPage = (page: BrowserPage): Middleware => {
    // Only the console has texts in several languages.
    const locales = page === pages.console ? (config.consoleLocales ?? [usualLocale]) : [];
    const preferred = preferredOf(locales);
    const prepare = async (file: Promise<PageFile>, locale: string | undefined) => {
      const { content, mediaType } = await file;
      const language = await describeLanguage(consoleMessages, locale, service.publicPath);
      const html = brand(`${content}`, config).replace(
        '<html lang="en">',
        `<html lang="${language?.locale ?? 'en'}">`,
      );
      const withSignIn = (signIn: SignInSettings | undefined) => ({ ...settings, language, signIn });
      return { mediaType, contentWith: keepContent(html, service, withSignIn) };
    };
    const prepared = new Map<string | undefined, ReturnType<typeof prepare>>();
    return (next) => async (exchange) => {
      const file = isAskedFor(page, exchange) && files.read(`/${page.file}`);
      if (!file) return next(exchange);
      exchange.record.route = exchange.path;
      const locale = preferred(exchange.headers);
      const ready = prepared.get(locale) ?? prepare(file, locale);
      prepared.set(locale, ready);
      ready.catch(() => prepared.delete(locale));
      const { mediaType, contentWith } = await ready;
      const signIn = currentSignIn();
      return answerCompressible(await contentWith(signIn), exchange, {
        ...pageHeaders(page, mediaType, signIn),
        ...(locales.length > 1 && { vary: 'Accept-Language' }),
      });
    };
  };
  const root = config.shown.includes('console') ? [['/', leadTo(pages.console.path)] as const] : [];
  const shown = [...config.shown.map((name) => pages[name]), callbackPage];
  return new Map([
    ...shown.map((page) => [page.path, showPage(page)] as const),
    ...root,
    [assetsPath, serveAssets(files, look, consoleMessages)],
    [elementsPath, serveElements(files, createMessageFiles(messages, true), settings, service.publicPath)],
  ]);
}

/** Whether a request wants the page, and not the API that may have the same path. */
const isAskedFor = ({ sharesPath }: BrowserPage, exchange: Exchange): boolean =>
  sharesPath ? isForBrowser(exchange) : exchange.method === 'GET';

const isForBrowser = ({ method, headers }: Exchange): boolean =>
  method === 'GET' && headers['accept']?.includes('text/html') === true;
