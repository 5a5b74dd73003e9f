import type { BrowserPage } from './pages.ts';

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
