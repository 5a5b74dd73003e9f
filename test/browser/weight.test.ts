import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type World } from '../support/browser.ts';

/** Kilobytes, as they are sent: on a line of 1.5 Mbit/s, 187 take a second. */
const pages = [
  // What a person needs at once, and what they need next; 48 are a font that nobody waits for.
  {
    path: 'console',
    shown: '.signed-out h1',
    most: 120,
    first: 5,
    files: 20,
    without: ['react-dom', 'monaco', 'GraphiQL.Logo', 'usage.scales'],
  },
  // Half of it is the font. The form that tries an operation comes with a click.
  {
    path: 'api/v1/docs',
    shown: '.top-bar',
    most: 100,
    first: 5,
    files: 10,
    without: ['react-dom', 'monaco', 'keys.create', 'Fill in the example'],
  },
  // Monaco is most of it, and it has a worker for each language.
  {
    path: 'graphql',
    shown: '.view-line',
    most: 1120,
    first: 7,
    files: 40,
    without: ['keys.create', 'Fill in the example'],
  },
];

describe.skipIf(!canRun)('what a page loads', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  it.each(pages)(
    'is bounded, and is its own: $path',
    async ({ path, shown, most, first, files: mostFiles, without }) => {
      await using visit = await world.visit();
      const { page } = visit;
      const loaded: Promise<{ url: string; size: number; text: string }>[] = [];
      page.on('response', (response) => {
        const url = response.url();
        if (!url.startsWith(world.service.url)) return;
        const file = (async () => ({
          url,
          size: (await response.request().sizes()).responseBodySize,
          text: url.endsWith('.js') ? await response.text() : '',
        }))();
        // Where the test fails before it asks for this, it is the test's failure that is told.
        file.catch(() => {});
        loaded.push(file);
      });
      // What a page names itself loads at once. Over HTTP/1.1, a browser loads six files at a time.
      const html = await (await page.goto(path))?.text();
      const named = html?.match(
        /<(?:script[^>]* src|link[^>]* rel="(?:stylesheet|modulepreload|preload)")[^>]*>/g,
      );
      expect(named?.length, named?.join('\n')).toBe(first);
      await page.locator(shown).first().waitFor();
      // Its first view waits for nothing more.
      const asked = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter((entry) => (entry as PerformanceResourceTiming).initiatorType === 'fetch')
          .map(({ name }) => name),
      );
      if (path === 'console') expect(asked).toEqual([]);
      await page.evaluate(() => document.fonts.ready);
      await page.waitForLoadState('networkidle');
      const files = await Promise.all(loaded);
      const kilobytes = files.reduce((sum, { size }) => sum + size, 0) / 1000;
      process.stdout.write(`${path}: ${Math.round(kilobytes)} kB in ${files.length} files\n`);
      expect(kilobytes).toBeLessThan(most);
      expect(files.length, files.map(({ url }) => url).join('\n')).toBeLessThanOrEqual(mostFiles);
      for (const word of without)
        expect(files.filter(({ text }) => text.includes(word)).map(({ url }) => `${word}: ${url}`)).toEqual(
          [],
        );
    },
  );
});
