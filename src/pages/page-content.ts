import type { Compressible } from '../http/compressible.ts';
import { compressWell } from './compress-well.ts';

/** What a service may have or lack. The build writes comments with these names around the parts of a page. */
export type PagePart = 'operators' | 'leak-reports' | 'bearer-keys';

/** What the pages show of the service. */
export interface ShownService {
  /** The URL by which clients reach the service. */
  readonly publicUrl: string;
  /** The path of that URL, without a slash at its end; empty at the root of a host. */
  readonly publicPath: string;
  /** The header field in which programs send an API key. */
  readonly apiKeyHeader: string;
  readonly has: Readonly<Record<PagePart, boolean>>;
}

const parts = /<!--([a-z-]+)-->(.*?)<!--\/\1-->/gs;

/** What comes before a path of the service in a built page. */
const links = /(?<= (?:href|src)=")(?=\/)/g;

/** Removes from a page what the service lacks, and fills in its address and its header for API keys. */
const tailor = (html: string, { publicUrl, publicPath, apiKeyHeader, has }: ShownService): string =>
  html
    .replace(parts, (_, name: PagePart, part: string) => (has[name] ? part : ''))
    .replaceAll('https://keyward.example.com', () => new URL(publicUrl).origin + publicPath)
    .replace(links, (link) => link + publicPath)
    .replaceAll('X-API-Key', () => apiKeyHeader);

/** Writes a text so that it is no markup. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const empty = '<script type="application/json" id="settings"></script>';

/** Writes the settings into a page as JSON data, so the page needs no inline script and no request for them. */
const fillIn = (html: string, settings: object): string =>
  html.replace(empty, () =>
    empty.replace('></', `>${JSON.stringify(settings).replaceAll('<', '\\u003c')}</`),
  );

/**
 * Makes the content of a page for many answers. It is made again only when the settings have changed.
 * @param settingsWith the settings of the page, with those of the sign-in
 */
export function keepContent<SignIn extends object>(
  html: string,
  service: ShownService,
  settingsWith: (signIn: SignIn | undefined) => object,
): (signIn: SignIn | undefined) => Promise<Compressible> {
  const tailored = tailor(html, service);
  const make = (signIn: SignIn | undefined) =>
    compressWell(Buffer.from(fillIn(tailored, settingsWith(signIn))));
  let kept: { readonly signIn: SignIn | undefined; readonly made: Promise<Compressible> } | undefined;
  return (signIn) => {
    if (!kept || kept.signIn !== signIn) kept = { signIn, made: make(signIn) };
    return kept.made;
  };
}
