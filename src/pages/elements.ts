import { hash } from 'node:crypto';
import { answerCompressible, compressible } from '../http/compressible.ts';
import type { Middleware } from '../http/exchange.ts';
import { answerAsset } from './answer-asset.ts';
import type { PageFiles } from './page-files.ts';

/** The path of the elements for pages of other origins. */
export const elementsPath = '/elements/';

/** Any page may load the elements, also one that isolates itself from other origins. */
const forAnyOrigin = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** What changes with the next version. */
const short = { ...forAnyOrigin, 'cache-control': 'no-cache' } as const;

/** The integrity metadata of a file (Subresource Integrity). */
const integrityOf = (content: Buffer): string => `sha384-${hash('sha384', content, 'base64')}`;

/** What the elements need to know of the service. */
interface ElementSettings {
  readonly apiKeyHeader: string;
  readonly apiKeyPermissions: readonly string[] | null;
  readonly providerLinks: readonly object[] | undefined;
}

/** The file that leads to the module, whose path changes with its content, and what pages may know, as JSON. */
async function describe(files: PageFiles, settings: ElementSettings) {
  const names = files.names
    .filter((name) => name.startsWith(elementsPath) && name.endsWith('.js'))
    .toSorted();
  const module = names.find((name) => name.startsWith(`${elementsPath}keyward-`));
  if (module === undefined) throw new Error('The elements are missing: run npm run build.');
  const integrity: Record<string, string> = {};
  for (const name of names) {
    const file = await files.read(name);
    if (file) integrity[name] = integrityOf(file.content);
  }
  const { apiKeyHeader, apiKeyPermissions, providerLinks } = settings;
  const description = { module, integrity, settings: { apiKeyHeader, apiKeyPermissions, providerLinks } };
  return {
    // No redirect: a browser would load the module again for those of its parts that import it by its own name.
    entry: await compressible(Buffer.from(`import ".${module.slice(elementsPath.length - 1)}";\n`)),
    description: await compressible(Buffer.from(JSON.stringify(description))),
  };
}

/**
 * Serves the elements for pages of other origins: their files, `keyward.js`, which imports the module, and
 * `keyward.json`, which names the module with the integrity metadata of all files.
 */
export function serveElements(files: PageFiles, settings: ElementSettings): Middleware {
  let described: ReturnType<typeof describe> | undefined;
  return (next) => async (exchange) => {
    if (exchange.method !== 'GET') return next(exchange);
    exchange.record.route = elementsPath;
    const file = await files.read(exchange.path);
    if (file) return answerAsset(file, exchange, true, forAnyOrigin);
    described ??= describe(files, settings);
    const { entry, description } = await described;
    switch (exchange.path) {
      case `${elementsPath}keyward.js`:
        return answerCompressible(entry, exchange, {
          ...short,
          'content-type': 'text/javascript; charset=utf-8',
        });
      case `${elementsPath}keyward.json`:
        return answerCompressible(description, exchange, { ...short, 'content-type': 'application/json' });
      default:
        return next(exchange);
    }
  };
}
