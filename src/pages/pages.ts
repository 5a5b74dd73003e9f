import type { PageName } from '../config/config.ts';

/** A page for a browser. */
export interface BrowserPage {
  /** Below the folder of built pages. */
  readonly file: string;
  /** Whether its path is that of an API as well: only who asks for HTML is shown the page. */
  readonly sharesPath?: boolean;
  /** Whether what it is made of puts style sheets into the page: Monaco's themes and Swagger UI's layout do. */
  readonly inlineStyles?: boolean;
  /** Whether it is shown in the window of a sign-in, which the page that opened it must still know. */
  readonly isPopup?: boolean;
}

/** Where each page is. */
export const pagePaths: Readonly<Record<PageName, string>> = {
  console: '/console',
  graphiql: '/graphql',
  reference: '/api/v1/docs',
};

/** Where an identity provider sends a person back to. */
export const callbackPath = '/sign-in/callback';

const pages: Readonly<Record<PageName, BrowserPage>> = {
  console: { file: 'console/index.html' },
  graphiql: { file: 'graphiql/index.html', sharesPath: true, inlineStyles: true },
  reference: { file: 'reference/index.html', inlineStyles: true },
};

/** The pages by their path, and the one that ends a sign-in. */
export const pagesByPath = (shown: readonly PageName[]): ReadonlyMap<string, BrowserPage> =>
  new Map([
    ...shown.map((name) => [pagePaths[name], pages[name]] as const),
    [callbackPath, { file: 'callback/index.html', isPopup: true }],
  ]);

/**
 * The Content-Security-Policy of a page: everything comes from this service, and only the identity provider is asked
 * beside it. Style sheets that a page makes itself cannot load anything either: the rest of the policy holds for them.
 * @param tokenEndpoint where the page gets its access token; undefined where it is pasted
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
