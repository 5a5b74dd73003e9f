import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Compressible, compressible } from '../http/compressible.ts';

/** Where `npm run build` puts the pages. */
const folder = join(import.meta.dirname, '../../dist/web');

/** Where the scripts and style sheets of the pages are, below the folder and as a path of the service. */
export const assetsPath = '/assets/';

/** The GraphQL documents of the pages by their ids, as the build has listed them. */
export const pageDocuments = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, 'documents.json'), 'utf8'));

/** Whether the pages are built. */
export const arePagesBuilt = (): boolean => existsSync(folder);

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

/** A file of the pages, read. */
export interface PageFile extends Compressible {
  readonly mediaType: string;
}

/** What the build has compressed by Brotli has the name of the file, and this. */
const brotliEnding = '.br';

/**
 * Reads files of the built pages, and compresses them, each once. Only those that are there when it is made can be
 * asked for: a path is a name in a list and never one of the file system.
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

  /** A file by its path below the folder, such as `/assets/main.js`; undefined where there is none. */
  return (name: string): Promise<PageFile> | undefined => {
    const path = known.get(name);
    if (path === undefined) return undefined;
    const file = read.get(name) ?? load(path);
    read.set(name, file);
    return file;
  };
}
