/** Where Keyward is: this file comes from a folder of its own there, such as `/assets/`. */
const base = new URL(/* @vite-ignore */ '..', import.meta.url);

/** The URL of a path of Keyward's, which is without a slash at its beginning. */
export const urlOf = (path: string): string => new URL(path, base).href;

/** Keyward's origin. */
export const { origin } = base;

/** Keyward's URL, without a slash at its end. */
export const serviceUrl: string = urlOf('.').replace(/\/$/, '');

/**
 * A name for what the browser keeps: another service on this host, below another path, does not share it. At the root
 * of a host, it is the name itself.
 */
export const nameHere = (name: string): string => name + base.pathname.replace(/\/$/, '');
