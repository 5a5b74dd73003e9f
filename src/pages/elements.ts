import { hash } from 'node:crypto';
import { answerCompressible, compressible } from '../http/compressible.ts';
import type { Answer, Exchange, Middleware } from '../http/exchange.ts';
import { answerAsset } from './answer-asset.ts';
import {
  type MessageFile,
  type MessageFiles,
  type MessagePart,
  messageParts,
  tagPattern,
} from './messages/message-files.ts';
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
async function describe(files: PageFiles, settings: ElementSettings, publicPath: string) {
  const names = files.names
    .filter((name) => name.startsWith(elementsPath) && name.endsWith('.js'))
    .toSorted();
  const module = names.find((name) => name.startsWith(`${elementsPath}keyward-`));
  if (module === undefined) throw new Error('The elements are missing: run npm run build.');
  const integrity: Record<string, string> = {};
  for (const name of names) {
    const file = await files.read(name);
    if (file) integrity[publicPath + name] = integrityOf(file.content);
  }
  const { apiKeyHeader, apiKeyPermissions, providerLinks } = settings;
  const description = {
    module: publicPath + module,
    integrity,
    settings: { apiKeyHeader, apiKeyPermissions, providerLinks },
  };
  return {
    // No redirect: a browser would load the module again for those of its parts that import it by its own name.
    entry: await compressible(Buffer.from(`import ".${module.slice(elementsPath.length - 1)}";\n`)),
    description: await compressible(Buffer.from(JSON.stringify(description))),
  };
}

/** Where the elements ask for a part of the texts of a language, by its tag. */
const messagesPath = new RegExp(
  `^${elementsPath}messages/(?<tag>${tagPattern})/(?<part>${messageParts.join('|')})\\.json$`,
);

/** Answers with texts, unless the browser has them already. */
function answerMessages(file: MessageFile, exchange: Exchange): Answer {
  // Weak, because a compressed form has the same one.
  const headers = { ...short, 'content-type': 'application/json', etag: `W/"${file.hash}"` };
  return exchange.headers['if-none-match'] === headers.etag
    ? { status: 304, headers: { ...headers, vary: 'Accept-Encoding' }, body: '' }
    : answerCompressible(file, exchange, headers);
}

/**
 * Serves the elements for pages of other origins: their files, the texts of a language, `keyward.js`, which imports the module, and
 * `keyward.json`, which names the module with the integrity metadata of all files.
 * @param publicPath the path of the service's URL, with which the names in `keyward.json` begin
 */
export function serveElements(
  files: PageFiles,
  messages: MessageFiles,
  settings: ElementSettings,
  publicPath: string,
): Middleware {
  let described: ReturnType<typeof describe> | undefined;
  const answerAs = async (path: string, exchange: Exchange): Promise<Answer | undefined> => {
    described ??= describe(files, settings, publicPath);
    const { entry, description } = await described;
    switch (path) {
      case `${elementsPath}keyward.js`:
        return answerCompressible(entry, exchange, {
          ...short,
          'content-type': 'text/javascript; charset=utf-8',
        });
      case `${elementsPath}keyward.json`:
        return answerCompressible(description, exchange, { ...short, 'content-type': 'application/json' });
      default:
        return undefined;
    }
  };
  return (next) => async (exchange) => {
    if (exchange.method !== 'GET') return next(exchange);
    exchange.record.route = elementsPath;
    const file = await files.read(exchange.path);
    if (file) return answerAsset(file, exchange, true, forAnyOrigin);
    const asked = messagesPath.exec(exchange.path)?.groups as { tag: string; part: MessagePart } | undefined;
    if (asked) return answerMessages(await messages(asked.tag, asked.part), exchange);
    return (await answerAs(exchange.path, exchange)) ?? next(exchange);
  };
}
