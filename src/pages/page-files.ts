import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Compressible, compressible } from '../http/compressible.ts';

/** `npm run build` writes the pages into this folder. */
const folder = join(import.meta.dirname, '../../dist/web');

/** The folder of the pages' scripts and style sheets, and the path at which the service serves them. */
export const assetsPath = '/assets/';

/** The GraphQL documents of the pages by their ids, from the list that the build wrote. */
export const pageDocuments = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, 'documents.json'), 'utf8'));

/** The texts of the pages by their languages, as the build collected them. */
export function builtMessages(): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const languages = join(folder, 'messages');
  return new Map(
    readdirSync(languages).map((name) => [
      name.replace(/\.json$/, ''),
      JSON.parse(readFileSync(join(languages, name), 'utf8')),
    ]),
  );
}

/** Whether the pages are built. */
export const arePagesBuilt = (): boolean => existsSync(folder);

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

/** The content of a page's file. */
export interface PageFile extends Compressible {
  readonly mediaType: string;
}

/** The ending that the build adds to the name of a file's Brotli copy. */
const brotliEnding = '.br';

/**
 * Makes a reader of the built pages. It reads and compresses each file once. It serves only the files that exist at
 * its making, so a path from a request is looked up in a list and never reaches the file system.
 */
export function createPageFiles() {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith(brotliEnding))
    .map(({ parentPath, name }) => join(parentPath, name));
  const known = new Map(names.map((path) => [path.slice(folder.length).replaceAll('\\', '/'), path]));
  const read = new Map<string, Promise<PageFile>>();

  const load = async (path: string): Promise<PageFile> => {
    const mediaType = mediaTypes[extname(path)] ?? 'text/html; charset=utf-8';
    const brotli = existsSync(path + brotliEnding) ? await readFile(path + brotliEnding) : undefined;
    return { ...(await compressible(await readFile(path), brotli)), mediaType };
  };

  return {
    /** The paths of all files below the folder. */
    names: [...known.keys()],
    /** Returns a file by its path below the folder, such as `/assets/main.js`; undefined if no such file exists. */
    read: (name: string): Promise<PageFile> | undefined => {
      const path = known.get(name);
      if (path === undefined) return undefined;
      const file = read.get(name) ?? load(path);
      read.set(name, file);
      return file;
    },
  };
}

/** The built pages. */
export type PageFiles = ReturnType<typeof createPageFiles>;
