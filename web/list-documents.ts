import { globSync } from 'node:fs';
import { type DocumentNode, print } from 'graphql';
import type { Plugin } from 'vite';
import { documentId } from './console/api/document-id.ts';

/** Writes `documents.json`: the GraphQL documents of the pages, by id, for the server. */
export const listDocuments = (root: string): Plugin => ({
  name: 'list-documents',
  async generateBundle() {
    const texts: Record<string, string> = {};
    for (const file of globSync('*/**/documents.ts', { cwd: root })) {
      const documents: Record<string, DocumentNode> = await import(`${root}/${file}`);
      for (const document of Object.values(documents)) {
        const text = print(document);
        texts[await documentId(text)] = text;
      }
    }
    this.emitFile({ type: 'asset', fileName: 'documents.json', source: JSON.stringify(texts) });
  },
});
