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
