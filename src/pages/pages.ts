import type { PageName } from '../config/config.ts';

/** A page for a browser. */
export interface BrowserPage {
  readonly path: string;
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

/** The path of the redirect URI: the identity provider sends a person back to it after a sign-in. */
export const callbackPath = '/sign-in/callback';

/** The pages for a browser, by name. */
export const pages = {
  console: { path: '/console', file: 'console/index.html' },
  graphiql: {
    path: '/graphql',
    file: 'graphiql/index.html',
    sharesPath: true,
    inlineStyles: true,
  },
  reference: { path: '/api/v1/docs', file: 'reference/index.html' },
} as const satisfies Record<PageName, BrowserPage>;

/** The page that ends a sign-in. */
export const callbackPage: BrowserPage = {
  path: callbackPath,
  file: 'callback/index.html',
  isPopup: true,
};

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
