/** The beginnings of the paths that Keyward serves. */
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

/** Whether a path is another one, or below it. */
export const isAtOrBelow = (path: string, other: string): boolean =>
  path === other || path.startsWith(`${other}/`);

/** Whether a path could be taken for one of Keyward's own: it is one, is below one, or is above one, as `/api` is. */
const isLikeOwn = (path: string): boolean =>
  ownPaths.some((own) => isAtOrBelow(path, own) || isAtOrBelow(own, path));

/** `https://example.com/keyward/` → `https://example.com/keyward`. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/**
 * Whether `PUBLIC_URL` may have a path. Its letters mean the same in a URL, a header field, HTML and a shell, and each
 * proxy writes them in the same way.
 */
export const isPublicPath = (path: string): boolean =>
  path === '/' || (/^(?:\/[\w.~-]+)+\/?$/.test(path) && !isLikeOwn(withoutSlash(path)));

/** The path of `PUBLIC_URL`, without a slash at its end; empty at the root of a host. */
export const publicPathOf = (publicUrl: string): string => withoutSlash(new URL(publicUrl).pathname);
