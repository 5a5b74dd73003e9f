import { defineConfig } from 'vite';
import { compileDocuments } from '../compile-documents.ts';
import { compressFiles } from '../compress-files.ts';
import { withoutParser } from '../messages/without-parser.ts';

/** The elements for pages of other origins. They share no file with the pages, which other origins may not load. */
export default defineConfig({
  root: import.meta.dirname,
  // The files lie beside each other, wherever the service is.
  base: './',
  plugins: [compileDocuments(), compressFiles()],
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
