import type { Finisher } from './exchange.ts';

/**
 * Makes what takes the path of `PUBLIC_URL` from the beginning of a request target, once: `/keyward/console?x` →
 * `/console?x`. A proxy may have taken it already, and servers inside ask without it, so other targets stay as they are.
 * @param publicPath without a slash at its end; not empty
 */
export const withoutPublicPath =
  (publicPath: string) =>
  (target: string): string => {
    if (!target.startsWith(publicPath)) return target;
    const rest = target.slice(publicPath.length);
    if (rest.startsWith('/')) return rest;
    return rest === '' || rest.startsWith('?') ? `/${rest}` : target;
  };

/** The header fields of an answer that refer to other resources, with the place of a path in each. */
const references: readonly (readonly [name: string, path: RegExp])[] = [
  ['location', /^(?=\/)/],
  ['link', /(?<=<)(?=\/)/g],
];

/** Puts the path of `PUBLIC_URL` before the paths to which an answer refers (RFC 9110, section 10.2.2; RFC 8288). */
export const withPublicPath =
  (publicPath: string): Finisher =>
  (_exchange, answer) => {
    for (const [name, path] of references) {
      const reference = answer.headers[name];
      if (reference !== undefined) answer.headers[name] = reference.replace(path, publicPath);
    }
    return answer;
  };
