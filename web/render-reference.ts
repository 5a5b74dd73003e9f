import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, runnerImport } from 'vite';

const place = '<!--reference-->';

/** Writes the API reference into its page, from the API description. */
export const renderReference = (root: string): Plugin => ({
  name: 'render-reference',
  transformIndexHtml: {
    order: 'pre',
    async handler(html) {
      if (!html.includes(place)) return html;
      const description = JSON.parse(readFileSync(join(root, '../schema/openapi.json'), 'utf8'));
      const { module } = await runnerImport<typeof import('./reference/render/reference.tsx')>(
        join(root, 'reference/render/reference.tsx'),
        { root, configFile: false, logLevel: 'warn' },
      );
      return html.replace(place, () => module.renderReference(description));
    },
  },
});
