import { defineConfig, type Plugin } from 'vite';
import { compileDocuments } from '../compile-documents.ts';
import { compressFiles } from '../compress-files.ts';
import { withoutParser } from '../messages/without-parser.ts';

/** Elements have no style sheets to wait for: what Vite adds for that would be 1 kB. */
const importDirectly: Plugin = {
  name: 'import-directly',
  load: {
    order: 'pre',
    filter: { id: /vite\/preload-helper\.js$/ },
    handler: () => 'export const __vitePreload = (load) => load();',
  },
};

/** The elements for pages of other origins. They share no file with the pages, which other origins may not load. */
export default defineConfig({
  root: import.meta.dirname,
  // The files lie beside each other, wherever the service is.
  base: './',
  plugins: [importDirectly, compileDocuments(), compressFiles(11)],
  resolve: { alias: withoutParser },
  build: {
    outDir: '../../dist/web/elements',
    emptyOutDir: true,
    modulePreload: false,
    // These know `light-dark`. What it is translated to for others follows only a scheme that the styles themselves set.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      input: `${import.meta.dirname}/keyward.tsx`,
      output: { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' },
      checks: { pluginTimings: false },
      onLog: (level, log, report) => log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log),
    },
    reportCompressedSize: false,
  },
});
