import { readFileSync, statSync } from 'node:fs';
import { imageSize } from 'image-size';
import { ConfigError } from '../config/config-error.ts';
import { describeFault } from '../config/cross-checks.ts';

/** The provider's logo. */
export interface ProviderLogo {
  readonly content: Buffer<ArrayBuffer>;
  readonly mediaType: string;
  /** Its own size, in CSS pixels; undefined for an SVG that tells none. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

/** The greatest length of a logo, in bytes: each page loads it. */
const most = 100 * 1024;

/** The kinds of images that all browsers show, by their names in `image-size`. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  webp: 'image/webp',
  jpg: 'image/jpeg',
};

/** How an SVG file begins, and what follows if it is one: pages can have an `svg` element too. */
const svgFile = /^\uFEFF?\s*(?:<\?xml|<!--|<!doctype svg|<svg)[\s\S]*?<svg[\s>/]|^\uFEFF?\s*<svg[\s>/]/i;

/** The size of an image, and its kind; undefined if neither can be told. */
function measure(content: Buffer<ArrayBuffer>) {
  try {
    return imageSize(content);
  } catch {
    return undefined;
  }
}

/** Reads an image by its bytes, whatever its name; undefined if it is none of the kinds, or damaged. */
function readImage(content: Buffer<ArrayBuffer>): ProviderLogo | undefined {
  const { type = '', width = 0, height = 0 } = measure(content) ?? {};
  const size = width > 0 && height > 0 ? { width, height } : undefined;
  if (svgFile.test(content.toString())) return { content, mediaType: 'image/svg+xml', size };
  const mediaType = mediaTypes[type];
  return mediaType === undefined || !size ? undefined : { content, mediaType, size };
}

/** Reads a file, or says what is wrong with it. */
function read(path: string): ProviderLogo | string {
  try {
    const { size } = statSync(path);
    if (size > most) return `names a file of more than ${most} bytes`;
    if (!statSync(path).isFile()) return 'must name a file';
    return readImage(readFileSync(path)) ?? 'must name an image: SVG, PNG, WebP or JPEG';
  } catch (error) {
    return `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

/**
 * Reads the provider's logo.
 * @param path the file of PROVIDER_LOGO
 * @throws {ConfigError} if it is no such file
 */
export function readLogo(path: string): ProviderLogo {
  const found = read(path);
  if (typeof found === 'string') throw new ConfigError([describeFault(['PROVIDER_LOGO', found])]);
  return found;
}
