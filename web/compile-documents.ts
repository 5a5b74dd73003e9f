import { hash } from 'node:crypto';
import { globSync } from 'node:fs';
import { type DocumentNode, getOperationAST, OperationTypeNode, print } from 'graphql';
import type { Plugin } from 'vite';
import type { CompiledDocument } from './console/api/compiled-document.ts';

const compile = (document: DocumentNode): CompiledDocument => {
  const text = print(document);
  return {
    id: `sha256:${hash('sha256', text)}`,
    text,
    isChange: getOperationAST(document)?.operation === OperationTypeNode.MUTATION,
  };
};

/** The documents of a module, by the names of its exports. */
async function read(file: string): Promise<[name: string, CompiledDocument][]> {
  const documents: Record<string, DocumentNode> = await import(file);
  return Object.entries(documents).map(([name, document]) => [name, compile(document)]);
}

/** Writes the documents of each `documents.ts` into the pages, compiled. */
export const compileDocuments = (): Plugin => ({
  name: 'compile-documents',
  load: {
    filter: { id: /\/documents\.ts$/ },
    async handler(id) {
      const lines = (await read(id)).map(
        ([name, document]) => `export const ${name} = ${JSON.stringify(document)};`,
      );
      return { code: lines.join('\n'), moduleType: 'js' };
    },
  },
});

/** Writes `documents.json`: the GraphQL documents of the pages, by id, for the server. */
export const listDocuments = (root: string): Plugin => ({
  name: 'list-documents',
  async generateBundle() {
    const files = globSync('*/**/documents.ts', { cwd: root });
    const found = await Promise.all(files.map((file) => read(`${root}/${file}`)));
    const texts = Object.fromEntries(found.flat().map(([, { id, text }]) => [id, text]));
    this.emitFile({ type: 'asset', fileName: 'documents.json', source: JSON.stringify(texts) });
  },
});
