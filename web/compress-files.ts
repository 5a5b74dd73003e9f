import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Plugin } from 'vite';

const compress = promisify(brotliCompress);

/**
 * Also writes each text file that pages load compressed by Brotli, as `<name>.br`.
 * @param quality of 11: the highest takes more than twice as long, for files that are 2% smaller
 */
export const compressFiles = (quality = 10): Plugin => ({
  name: 'compress-files',
  writeBundle: {
    order: 'post',
    async handler({ dir = '' }, bundle) {
      const paths = Object.keys(bundle).filter((name) => /\.(js|css|svg|ttf)$/.test(name));
      const write = async (path: string) =>
        writeFile(
          `${path}.br`,
          await compress(await readFile(path), { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
        );
      await Promise.all(paths.map((name) => write(join(dir, name))));
    },
  },
});
