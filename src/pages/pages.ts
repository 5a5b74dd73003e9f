import type { PageName } from '../config/config.ts';

/** A page for a browser. */
export interface BrowserPage {
  /** The path of the file below the folder of built pages. */
  readonly file: string;
  /** Whether an API has the same path. Then only a request that accepts HTML gets the page. */
  readonly sharesPath?: boolean;
  /** Whether a library on the page adds style sheets at run time: Monaco does for its themes. */
  readonly inlineStyles?: boolean;
  /**
   * Whether the page runs in the window of a sign-in. The page that opened this window must keep its reference to it.
   */
  readonly isPopup?: boolean;
}

/** The path of each page. */
export const pagePaths: Readonly<Record<PageName, string>> = {
  console: '/console',
  graphiql: '/graphql',
  reference: '/api/v1/docs',
};

/** The path of the redirect URI: the identity provider sends a person back to it after a sign-in. */
export const callbackPath = '/sign-in/callback';

const pages: Readonly<Record<PageName, BrowserPage>> = {
  console: { file: 'console/index.html' },
  graphiql: { file: 'graphiql/index.html', sharesPath: true, inlineStyles: true },
  reference: { file: 'reference/index.html' },
};

/** The shown pages by path, and the page that ends a sign-in. */
export const pagesByPath = (shown: readonly PageName[]): ReadonlyMap<string, BrowserPage> =>
  new Map([
    ...shown.map((name) => [pagePaths[name], pages[name]] as const),
    [callbackPath, { file: 'callback/index.html', isPopup: true }],
  ]);

/**
 * The Content-Security-Policy of a page. A page loads everything from this service, and connects to no other origin
 * but the identity provider's. Inline style sheets cannot load anything from elsewhere either, because the rest of
 * the policy applies to them too.
 * @param tokenEndpoint the endpoint that gives the page its access token; undefined if a person pastes the token
 */
export function contentSecurityPolicy(
  { inlineStyles }: BrowserPage,
  tokenEndpoint: string | undefined,
): string {
  const provider = tokenEndpoint === undefined ? '' : ` ${new URL(tokenEndpoint).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    `style-src 'self'${inlineStyles ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self'${provider}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
