import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLogo } from '../../../src/pages/provider-logo.ts';
import { createProviderLook } from '../../../src/pages/provider-look.ts';
import { createTemporaryFolder } from '../../support/process.ts';

/** A PNG of one pixel, in base64. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Calls with the path of a file of this content. */
async function withFile<Result>(
  content: string | Buffer,
  use: (path: string) => Result,
): Promise<Awaited<Result>> {
  await using folder = await createTemporaryFolder();
  const path = join(folder.path, 'logo');
  writeFileSync(path, content);
  return await use(path);
}

const svg = (attributes: string) => `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}/>`;

describe('a logo', () => {
  it.each([
    ['an SVG', svg('viewBox="0 0 30 10"'), 'image/svg+xml', { width: 30, height: 10 }],
    [
      'an SVG with an opening',
      `<?xml version="1.0"?>\n<!-- by hand -->\n${svg('width="7" height="9"')}`,
      'image/svg+xml',
      { width: 7, height: 9 },
    ],
    [
      'an SVG after a long licence',
      `<!-- ${'licence '.repeat(400)}-->${svg('')}`,
      'image/svg+xml',
      undefined,
    ],
    [
      'an SVG with a doctype',
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n${svg('viewBox="0,0,30,10"')}`,
      'image/svg+xml',
      undefined,
    ],
    ['an SVG without a size', svg(''), 'image/svg+xml', undefined],
    ['a flat SVG', svg('viewBox="0 0 1 .25"'), 'image/svg+xml', undefined],
    ['a PNG', Buffer.from(pixel, 'base64'), 'image/png', { width: 1, height: 1 }],
  ])('is told by its bytes: %s', async (_what, content, mediaType, size) => {
    const logo = await withFile(content, readLogo);
    expect(logo).toMatchObject({ mediaType });
    expect(logo.size).toEqual(size);
    expect(logo.content.equals(Buffer.from(content))).toBe(true);
  });

  it.each([
    ['no image', 'logo'],
    ['nothing', ''],
    ['a page with an image', '<html><svg width="1" height="2"></svg></html>'],
    ['a page with a comment and an image', '<!doctype html><!-- --><svg width="1" height="2"></svg>'],
    ['a damaged image', Buffer.from(pixel, 'base64').subarray(0, 12)],
    ['a GIF', Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')],
  ])('is refused if it is %s', async (_what, content) => {
    await expect(withFile(content, readLogo)).rejects.toThrow('PROVIDER_LOGO must name an image: SVG, PNG');
  });

  it('is refused if it is too large, no file, or not there', async () => {
    const large = svg('') + ' '.repeat(102_400);
    await expect(withFile(large, readLogo)).rejects.toThrow('names a file of more than 102400 bytes');
    expect(() => readLogo('/dev/zero')).toThrow('PROVIDER_LOGO must name a file');
    expect(() => readLogo('/nowhere/logo.svg')).toThrow('that cannot be read (ENOENT)');
  });
});

describe("the provider's look", () => {
  const lookOf = (content: string, providerColor?: string) =>
    withFile(content, (providerLogo) => createProviderLook({ providerLogo, providerColor }));

  it('is nothing if the provider gives none', async () => {
    const look = await createProviderLook({ providerLogo: undefined, providerColor: undefined });
    expect(look).toMatchObject({ head: '', logo: undefined });
    expect(look.find('/assets/provider-logo-x')).toBeUndefined();
  });

  it('has files whose names change with their content', async () => {
    const [one, other] = [
      await lookOf(svg('width="1" height="2"')),
      await lookOf(svg('width="2" height="2"')),
    ];
    expect(one.logo).toEqual({
      src: expect.stringMatching(/^\/assets\/provider-logo-[\w-]{16}$/),
      width: 1,
      height: 2,
    });
    expect(other.logo?.src).not.toBe(one.logo?.src);
    const src = one.logo?.src ?? '';
    expect(one.find(src)).toMatchObject({ file: { mediaType: 'image/svg+xml' }, isExact: true });
    // A page of a process that has read another file.
    expect(other.find(src)).toMatchObject({ file: { mediaType: 'image/svg+xml' }, isExact: false });
    expect(one.find('/assets/provider-colour-x')).toBeUndefined();
    expect(one.find('/assets/main.js')).toBeUndefined();
  });

  it('has a style sheet of its colour', async () => {
    const { head, find } = await lookOf(svg(''), '#7c3aed');
    const [, href = ''] = /^<link rel="stylesheet" href="([^"]+)">$/.exec(head) ?? [];
    expect(`${find(href)?.file.content}`).toContain('--accent: light-dark(#7c3aed,');
  });
});
