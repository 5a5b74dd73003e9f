import { globSync } from 'node:fs';
import { defineConfig } from 'vite';
import { compileDocuments, listDocuments } from './compile-documents.ts';
import { compressFiles } from './compress-files.ts';
import { compileMessages, listMessages } from './messages/bundle-messages.ts';
import { withoutParser } from './messages/without-parser.ts';
import { renderReference } from './render-reference.ts';

const root = import.meta.dirname;

/** The pages for a browser: each folder with an index.html is one. */
export default defineConfig({
  root,
  plugins: [
    compileDocuments(),
    listDocuments(root),
    compileMessages(),
    listMessages(),
    renderReference(root),
    compressFiles(),
  ],
  resolve: { alias: withoutParser },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    rolldownOptions: {
      input: globSync('*/index.html', { cwd: root }).map((file) => `${root}/${file}`),
      // Most of the time goes into compressing.
      checks: { pluginTimings: false },
      // Packages mark modules that a server must not run. Nothing here runs on a server.
      onLog: (level, log, report) => log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log),
    },
    // Fonts stay separate files, so that a page does not wait for them with its style sheet.
    assetsInlineLimit: (file) => (/\.(ttf|woff2?)$/.test(file) ? false : undefined),
    // Monaco alone is larger than the default limit for this warning.
    chunkSizeWarningLimit: 10_000,
    reportCompressedSize: false,
  },
});
