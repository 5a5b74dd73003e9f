/** The beginnings of the paths that Keyward serves: no path of `PUBLIC_URL` may be one of them, or be below one. */
export const ownPaths = [
  '/api/v1',
  '/graphql',
  '/console',
  '/sign-in',
  '/assets',
  '/elements',
  '/health',
  '/idp',
  '/.well-known',
] as const;

const isBelow = (path: string, beginning: string): boolean =>
  path === beginning || path.startsWith(`${beginning}/`);

/** Whether a path is one of Keyward's own, or below one. */
export const isOwnPath = (path: string): boolean => ownPaths.some((beginning) => isBelow(path, beginning));

/** `https://example.com/keyward/` → `https://example.com/keyward`. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/**
 * Whether `PUBLIC_URL` may have a path. Its letters mean the same in a URL, a header field, HTML and a shell, and each
 * proxy writes them in the same way.
 */
export const isPublicPath = (path: string): boolean =>
  path === '/' || (/^(?:\/[\w.~-]+)+\/?$/.test(path) && !isOwnPath(path));

/** The path of `PUBLIC_URL`, without a slash at its end; empty at the root of a host. */
export const publicPathOf = (publicUrl: string): string => withoutSlash(new URL(publicUrl).pathname);
