import { globSync } from 'node:fs';
import { defineConfig } from 'vite';
import { compileDocuments, listDocuments } from './compile-documents.ts';
import { compressFiles } from './compress-files.ts';
import { compileMessages, listMessages } from './messages/bundle-messages.ts';
import { withoutParser } from './messages/without-parser.ts';
import { renderReference } from './render-reference.ts';

const root = import.meta.dirname;

/** The modules of the top bar and of the sign-in, and what they are made with. */
const isShared =
  /vite\/preload-helper|\/(?:node_modules\/(?:preact|intl-messageformat|@formatjs)\/|web\/(?:shared|messages)\/|web\/sign-in\/(?:read-token|resume-session|session|settings|sign-in|use-session)\.)/;

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
  experimental: {
    // The service may be below a path of its host. It puts that path into its pages; files lie beside each other.
    renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  build: {
    outDir: '../dist/web',
    // Browsers that know `light-dark()`, as the styles need, know this too.
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    rolldownOptions: {
      input: globSync('*/index.html', { cwd: root }).map((file) => `${root}/${file}`),
      output: {
        // What the console, GraphiQL and the API reference begin with, in one file: over HTTP/1.1, a browser loads six
        // at a time. What a page asks for later stays out.
        codeSplitting: {
          groups: [
            // The page that a sign-in comes back to needs no more.
            { name: 'callback', test: /\/(?:kept-sign-in|callback-channel|place)\.ts$/, priority: 1 },
            { name: 'shared', test: isShared },
          ],
        },
      },
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
