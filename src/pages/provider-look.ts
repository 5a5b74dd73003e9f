import { hash } from 'node:crypto';
import type { PagesConfig } from '../config/config.ts';
import { compressible } from '../http/compressible.ts';
import { assetsPath, type PageFile } from './page-files.ts';

/** A file of the provider's look. */
interface LookFile extends PageFile {
  /** Changes with the content. */
  readonly path: string;
  /** What its path begins with, whatever the content. */
  readonly beginning: string;
}

/** What gives the pages the look of the provider. */
export interface ProviderLook {
  /** What the head of each page needs, as HTML. */
  readonly head: string;
  /** The logo for the bar at the top, with its own size in CSS pixels. */
  readonly logo: { readonly src: string; readonly width?: number; readonly height?: number } | undefined;
  /**
   * Finds a file by its path. A path of other content finds the file as it is here: a page may come from another
   * process, which has read an earlier file or a later one.
   */
  readonly find: (path: string) => { readonly file: PageFile; readonly isExact: boolean } | undefined;
}

async function createFile(name: string, content: Buffer<ArrayBuffer>, mediaType: string): Promise<LookFile> {
  const beginning = `${assetsPath}provider-${name}-`;
  const path = `${beginning}${hash('sha256', content, 'base64url').slice(0, 16)}`;
  return { ...(await compressible(content)), mediaType, beginning, path };
}

/** Makes the style sheet for the provider's colour. */
async function createStyles(color: string): Promise<LookFile> {
  // Most services have no colour of their own, and need not load what computes with colours.
  const { writeAccent } = await import('./accent.ts');
  return createFile('colour', Buffer.from(writeAccent(color)), 'text/css; charset=utf-8');
}

async function createLogo(path: string) {
  const { readLogo } = await import('./provider-logo.ts');
  const { content, mediaType, size } = readLogo(path);
  return { file: await createFile('logo', content, mediaType), size };
}

/**
 * Makes the provider's look from their colour and logo.
 * @throws {ConfigError} if the logo cannot be read
 */
export async function createProviderLook({
  providerColor,
  providerLogo,
}: Pick<PagesConfig, 'providerColor' | 'providerLogo'>): Promise<ProviderLook> {
  const styles = providerColor === undefined ? undefined : await createStyles(providerColor);
  const logo = providerLogo === undefined ? undefined : await createLogo(providerLogo);
  const files = [styles, logo?.file].filter((file) => file !== undefined);
  return {
    head: styles ? `<link rel="stylesheet" href="${styles.path}">` : '',
    logo: logo && { src: logo.file.path, ...logo.size },
    find: (path) => {
      const file = files.find(({ beginning }) => path.startsWith(beginning));
      return file && { file, isExact: file.path === path };
    },
  };
}
