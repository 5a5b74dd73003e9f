import { readFileSync } from 'node:fs';
import { imageSize } from 'image-size';
import { z } from 'zod';

/** An image for the pages. */
export interface Image {
  readonly content: Buffer<ArrayBuffer>;
  readonly mediaType: string;
  /** The ending of a name for it, with the dot. */
  readonly ending: string;
  /** Its own size, in pixels. */
  readonly width: number;
  readonly height: number;
}

/** The greatest length of an image, in bytes: each page loads it. */
const most = 100 * 1024;

/** The kinds of images that all browsers show, by their names in `image-size`. */
const kinds: Readonly<Record<string, Pick<Image, 'mediaType' | 'ending'>>> = {
  svg: { mediaType: 'image/svg+xml', ending: '.svg' },
  png: { mediaType: 'image/png', ending: '.png' },
  webp: { mediaType: 'image/webp', ending: '.webp' },
  jpg: { mediaType: 'image/jpeg', ending: '.jpg' },
};

/** How an SVG file begins: `image-size` also finds an `svg` element within a page. */
const svgFile = /^\uFEFF?\s*<(?:\?xml|!--|!doctype svg|svg)[\s>-]/i;

/** Reads an image by its bytes, whatever its name; undefined if it is none of the kinds, or damaged. */
function readImage(content: Buffer<ArrayBuffer>): Image | undefined {
  try {
    const { type = '', width, height } = imageSize(content);
    const kind = kinds[type];
    const isWhole = type !== 'svg' || svgFile.test(content.toString());
    return kind && isWhole && width > 0 && height > 0 ? { content, ...kind, width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** The path of a file with an image; the value is the image. */
export const imageOfFile = z.string().transform((path, context): Image => {
  const refuse = (fault: string) => {
    context.addIssue(fault);
    return z.NEVER;
  };
  try {
    const content = readFileSync(path);
    if (content.length > most) return refuse(`names a file of more than ${most} bytes`);
    return readImage(content) ?? refuse('must name an image: SVG, PNG, WebP or JPEG, with a size');
  } catch (error) {
    return refuse(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
});
