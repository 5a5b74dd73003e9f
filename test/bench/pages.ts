import type { Page } from 'playwright-core';
import { startWorld, type Visit } from '../support/browser.ts';
import type { Options } from './options.ts';
import { digits, head, medianOfKnown, row } from './table.ts';

/** A phone of the middle range: a processor four times slower, 1.5 Mbit/s. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const bytesPerSecond = 1_500_000 / 8;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/** Notes when something is first on the page, as soon as a person can see it. */
const note = (page: Page, selector: string) =>
  page.addInitScript((sought) => {
    const look = () => {
      if (document.querySelector(sought)) performance.mark('usable');
      else requestAnimationFrame(look);
    };
    look();
  }, selector);

/**
 * Opens a page on a phone that has nothing of it.
 * @returns after how many milliseconds it shows what a person came for
 */
async function open(page: Page, path: string, selector: string): Promise<number> {
  await slowDown(page);
  await note(page, selector);
  const begun = Date.now();
  await page.goto(path, { waitUntil: 'commit' });
  await page.locator(selector).first().waitFor({ timeout: 60_000 });
  const shown = await page.evaluate(
    () => performance.timeOrigin + (performance.getEntriesByName('usable')[0]?.startTime ?? Number.NaN),
  );
  return Math.round(shown - begun);
}

/** Signs in on a page, and opens the console in the same tab: the provider says again who it is. */
async function openSignedIn(visit: Visit, path: string): Promise<number> {
  const { page } = visit;
  await page.goto(path);
  await visit.signInBy(() => page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click());
  await page.getByRole('banner').getByRole('button', { name: 'alice' }).waitFor();
  // The rest of the page is there as well.
  await page.waitForLoadState('networkidle');
  return open(page, '/console', '.keys');
}

/** Opens the form of an operation on the API reference. */
async function tryOperation(page: Page): Promise<number> {
  await open(page, '/api/v1/docs', '.top-bar');
  await page.waitForLoadState('networkidle');
  const begun = Date.now();
  await page.locator('#apiKeys .try').click();
  await page.locator('#apiKeys form').waitFor();
  return Date.now() - begun;
}

const ways: Readonly<Record<string, (visit: Visit) => Promise<number>>> = {
  'Console, to sign in': ({ page }) => open(page, '/console', '.signed-out .button'),
  'Console, loaded again while signed in': (visit) => openSignedIn(visit, '/console'),
  'Console, from another page while signed in': (visit) => openSignedIn(visit, '/api/v1/docs'),
  'API reference': ({ page }) => open(page, '/api/v1/docs', '.top-bar'),
  'API reference, an operation to try': ({ page }) => tryOperation(page),
  GraphiQL: ({ page }) => open(page, '/graphql', '.view-line'),
};

/** Measures how long the pages take on a slow phone, in Chromium, until a person can use them. */
export async function measurePages({ timing }: Options): Promise<string> {
  await using world = await startWorld();
  const rows: string[] = [];
  for (const [what, measure] of Object.entries(ways)) {
    const taken: number[] = [];
    for (let round = 0; round < timing.starts; round += 1) {
      await using visit = await world.visit({ viewport: { width: 375, height: 740 } });
      taken.push(await measure(visit));
    }
    rows.push(row([what, digits(Math.min(...taken)), digits(medianOfKnown(taken))]));
  }
  return [...head(['Page', 'Least, ms', 'Median, ms']), ...rows].join('\n');
}
