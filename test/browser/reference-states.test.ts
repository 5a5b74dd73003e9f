import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type Visit, type World } from '../support/browser.ts';
import { inspect, looks } from './console-person.ts';

describe.skipIf(!canRun)('the API reference’s states', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  describe.each(looks)('%s', (look, options) => {
    let visit: Visit;
    let page: Page;
    beforeAll(async () => {
      visit = await world.visit({ ...options, reducedMotion: 'reduce' });
      page = visit.page;
    });
    afterAll(() => visit?.[Symbol.asyncDispose]());

    const see = (name: string) => inspect(page, `${name}-${look}`, 'reference');
    const operationOf = (id: string) => page.locator(`.opblock[id$="-${id}"]`);
    const toggle = (id: string) => operationOf(id).locator('.opblock-summary-control').click();
    const execute = (id: string) => operationOf(id).getByRole('button', { name: 'Execute' }).click();
    const answers = (id: string, status: string) =>
      expect
        .poll(
          async () =>
            (
              await operationOf(id).locator('.live-responses-table .response-col_status').last().textContent()
            )?.trim(),
          { timeout: 10_000 },
        )
        .toBe(status);
    /** Brings an operation, or a part of it, right below the bar: what lies above is hidden, and not by half. */
    const bring = (id: string, part = '.opblock-summary') =>
      operationOf(id)
        .locator(part)
        .first()
        .evaluate((element) => {
          const bar = document.querySelector('.top-bar')?.getBoundingClientRect().bottom ?? 0;
          scrollBy(0, element.getBoundingClientRect().top - bar);
        });

    it('loading', async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route('**/openapi.json', (route) => released.then(() => route.continue()));
      await page.goto('/api/v1/docs');
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
      await see('loading');
      release();
      await page.locator('.opblock').first().waitFor();
      expect(await page.getByText('Loading…').count()).toBe(0);
      await page.unroute('**/openapi.json');
    });

    it('all operations, closed', async () => {
      await see('closed');
    });

    it('the operations', async () => {
      await page.getByRole('button', { name: 'Scopes', exact: true }).click();
      await page.getByRole('group', { name: 'Scopes to request' }).waitFor();
      await see('scopes');
      await page.getByRole('button', { name: 'Scopes', exact: true }).click();
    });

    it('an operation with parameters, open', async () => {
      await toggle('apiKeys');
      await operationOf('apiKeys').locator('.opblock-body').waitFor();
      // It is the first of its group, whose title would lie half below the bar.
      await page.evaluate(() => scrollTo(0, 0));
      await see('open');
    });

    it('a response, and who is signed in', async () => {
      await visit.signInBy(() => execute('apiKeys'));
      await answers('apiKeys', '200');
      await bring('apiKeys', '.curl-command');
      await see('answer');
      await page.getByRole('banner').getByRole('button', { name: 'alice' }).click();
      await page.getByText('Signed in as').waitFor();
      await see('signed-in');
      await page.getByRole('banner').getByRole('button', { name: 'alice' }).click();
      await toggle('apiKeys');
    });

    it('an operation with a body, and an error', async () => {
      await toggle('registerPrivateKey');
      await operationOf('registerPrivateKey').locator('textarea').waitFor();
      await bring('registerPrivateKey');
      await see('body');
      await execute('registerPrivateKey');
      await answers('registerPrivateKey', '422');
      await bring('registerPrivateKey', '.live-responses-table');
      await see('error');
      await toggle('registerPrivateKey');
    });

    it('a missing value', async () => {
      await toggle('apiKey');
      await operationOf('apiKey').getByPlaceholder('key_id').fill('');
      await execute('apiKey');
      await operationOf('apiKey').locator('input.invalid').waitFor();
      await bring('apiKey');
      await see('missing');
      await toggle('apiKey');
    });

    it('an unreachable server', async () => {
      await toggle('privateKeyStatus');
      const path = '**/auth/private-key';
      await page.route(path, (route) => route.abort('connectionrefused'));
      await execute('privateKeyStatus');
      await operationOf('privateKeyStatus').getByText('Keyward cannot be reached').waitFor();
      await bring('privateKeyStatus', '.live-responses-table');
      await see('away');
      await page.unroute(path);
    });

    it('the session is over', async () => {
      const path = '**/auth/private-key';
      const body = JSON.stringify({ detail: 'Could not validate credentials' });
      await page.route(path, (route) =>
        route.fulfill({ status: 401, contentType: 'application/json', body }),
      );
      await execute('privateKeyStatus');
      await page.getByText('Your sign-in has expired.').waitFor();
      await answers('privateKeyStatus', '401');
      await see('ended');
      await page.unroute(path);
    });

    it('no API description arrives', async () => {
      await page.route('**/openapi.json', (route) => route.abort('connectionrefused'));
      // Leaving first makes it one navigation: the same page by another fragment, loaded again, was two.
      await page.goto('about:blank');
      await page.goto('/api/v1/docs#nothing');
      await page.getByRole('alert').filter({ hasText: 'Keyward cannot be reached' }).waitFor();
      await see('no-description');
      await page.unroute('**/openapi.json');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator('.opblock').first().waitFor();
    });
  });
});
