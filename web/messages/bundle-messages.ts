import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@formatjs/icu-messageformat-parser';
import type { Plugin } from 'vite';
import type { CompiledMessage } from './compiled-message.ts';

const folder = import.meta.dirname;

const read = (file: string): Record<string, string> => JSON.parse(readFileSync(file, 'utf8'));

const compile = (message: string): CompiledMessage => (/[{}<']/.test(message) ? parse(message) : message);

/** Writes the messages that a page imports into it, compiled. */
export const compileMessages = (): Plugin => ({
  name: 'compile-messages',
  load: {
    filter: { id: /\/messages\/[^/]+\/[^/]+\.json$/ },
    handler(id) {
      const compiled = Object.entries(read(id)).map(([name, message]) => [name, compile(message)]);
      return {
        code: `export default ${JSON.stringify(Object.fromEntries(compiled))};`,
        moduleType: 'js',
      };
    },
  },
});

/** Writes `messages/LANGUAGE.json` for the server: all messages of a language. */
export const listMessages = (): Plugin => ({
  name: 'list-messages',
  generateBundle() {
    for (const language of globSync('??', { cwd: folder })) {
      const files = globSync(`${language}/*.json`, { cwd: folder }).toSorted();
      const messages = Object.assign({}, ...files.map((file) => read(join(folder, file))));
      this.emitFile({
        type: 'asset',
        fileName: `messages/${language}.json`,
        source: JSON.stringify(messages),
      });
    }
  },
});
