import { hash } from 'node:crypto';
import type { PagesConfig } from '../config/config.ts';
import { compressible } from '../http/compressible.ts';
import { assetsPath, type PageFile } from './page-files.ts';

/** What gives the pages the look of the provider. */
export interface ProviderLook {
  /** The files, by their paths. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** What the head of each page needs, as HTML. */
  readonly head: string;
  /** The logo for the bar at the top, in CSS pixels of its own size. */
  readonly logo: { readonly src: string; readonly width: number; readonly height: number } | undefined;
}

/** The path of a file. As those of the pages' own files, it changes with the content. */
const pathOf = (content: Buffer, ending: string): string =>
  `${assetsPath}provider-${hash('sha256', content, 'base64url').slice(0, 16)}${ending}`;

/** Makes the files of the provider's colour and logo. */
export async function createProviderLook({
  providerColor,
  providerLogo,
}: Pick<PagesConfig, 'providerColor' | 'providerLogo'>): Promise<ProviderLook> {
  const files = new Map<string, PageFile>();
  const add = async (content: Buffer<ArrayBuffer>, mediaType: string, ending: string) => {
    const path = pathOf(content, ending);
    files.set(path, { ...(await compressible(content)), mediaType });
    return path;
  };

  let head = '';
  if (providerColor !== undefined) {
    // Most services have no colour of their own, and need not load what computes with colours.
    const { writeAccent } = await import('./accent.ts');
    const path = await add(Buffer.from(writeAccent(providerColor)), 'text/css; charset=utf-8', '.css');
    head = `<link rel="stylesheet" href="${path}">`;
  }
  if (!providerLogo) return { files, head, logo: undefined };
  const { content, mediaType, ending, width, height } = providerLogo;
  return { files, head, logo: { src: await add(content, mediaType, ending), width, height } };
}
