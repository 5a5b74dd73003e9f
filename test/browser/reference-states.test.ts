import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, takePicture, type Visit, type World } from '../support/browser.ts';
import { inspect, looks } from './console-person.ts';
import { layOutAll, useReference } from './reference-person.ts';

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

    const see = (name: string, id?: string) =>
      inspect(page, `${name}-${look}`, 'reference', id && `article[id="${id}"]`);
    const { operationOf, formOf, toggle, open, send, execute, answers } = useReference(() => page);
    /** Brings a part of an operation right below the bar. */
    const bring = (id: string, part = '.sample') =>
      operationOf(id)
        .locator(part)
        .first()
        .evaluate((element) => element.scrollIntoView());

    it('nothing tried yet', async () => {
      await page.goto('api/v1/docs');
      await page.getByRole('banner').waitFor();
      await see('top');
      await page.getByRole('button', { name: 'Scopes', exact: true }).click();
      await page.getByRole('group', { name: 'Scopes to request' }).waitFor();
      await see('scopes');
      await page.getByRole('button', { name: 'Scopes', exact: true }).click();
    });

    it('the contents: beside the page on a wide screen, folded away on a phone', async () => {
      const link = page.locator('.contents a[href="#rotateApiKey"]');
      expect(await link.isVisible()).toBe(look === 'wide');
      if (look === 'wide') return;
      await page.locator('.contents summary').click();
      expect(await link.isVisible()).toBe(true);
      await see('contents');
      await page.locator('.contents summary').click();
    });

    it('a search, with results and without', async () => {
      const field = page.getByLabel('Search the reference');
      await field.fill('private key');
      await page.getByRole('status').filter({ hasText: 'results' }).waitFor();
      await see('found');
      await field.fill('nothing like that');
      await page.getByRole('status').filter({ hasText: 'Nothing found' }).waitFor();
      await see('not-found');
      await field.press('Escape');
    });

    it('an operation, with its form before anything was entered', async () => {
      await page.evaluate(() => location.assign('#createApiKey'));
      await bring('createApiKey', 'h3');
      await see('operation', 'createApiKey');
      await open('createApiKey');
      await bring('createApiKey');
      await see('form', 'createApiKey');
    });

    it('the form has not arrived yet', async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.reload();
      await page.getByRole('banner').waitFor();
      await page.route('**/openapi.json', (route) => released.then(() => route.continue()));
      await toggle('apiKeys');
      await operationOf('apiKeys').getByText('Loading…').waitFor();
      await bring('apiKeys');
      await see('loading', 'apiKeys');
      release();
      await formOf('apiKeys').waitFor();
      await page.unroute('**/openapi.json');
      await toggle('apiKeys');
    });

    it('the description does not arrive → a sentence, and the next click tries again', async () => {
      await page.reload();
      await page.getByRole('banner').waitFor();
      await page.route('**/openapi.json', (route) => route.abort('connectionrefused'));
      await toggle('apiKeys');
      await operationOf('apiKeys')
        .getByRole('alert')
        .filter({ hasText: 'Keyward cannot be reached' })
        .waitFor();
      await see('no-description', 'apiKeys');
      await page.unroute('**/openapi.json');
      await toggle('apiKeys');
      await open('apiKeys');
    });

    it('a response, and who is signed in', async () => {
      await visit.signInBy(() => send('apiKeys'));
      await answers('apiKeys', /^200/);
      await bring('apiKeys', '.exits');
      await see('answer', 'apiKeys');
      await page.getByRole('banner').getByRole('button', { name: 'alice' }).click();
      await page.getByText('Signed in as').waitFor();
      await see('signed-in');
      await page.getByRole('banner').getByRole('button', { name: 'alice' }).click();
      await toggle('apiKeys');
    });

    it('a change asks first; an error comes with its reasons', async () => {
      await open('registerPrivateKey');
      await send('registerPrivateKey');
      await formOf('registerPrivateKey').getByText('This changes data on').waitFor();
      await bring('registerPrivateKey');
      await see('asking', 'registerPrivateKey');
      await send('registerPrivateKey');
      await answers('registerPrivateKey', /^422/);
      await see('error', 'registerPrivateKey');
      await toggle('registerPrivateKey');
    });

    it('a missing value is named at its field, which gets the focus', async () => {
      await open('apiKey');
      await formOf('apiKey').getByLabel('key_id').fill('');
      await execute('apiKey');
      await formOf('apiKey').getByText('Enter a value for key_id.').waitFor();
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')))
        .toBe('key_id');
      await bring('apiKey');
      await see('missing', 'apiKey');
      await toggle('apiKey');
    });

    it('a body that is not JSON is named at its field, and not sent', async () => {
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.url()));
      await open('updateAutomationSettings');
      await formOf('updateAutomationSettings').getByLabel('Body').fill('{"is_enabled": tru}');
      await send('updateAutomationSettings');
      await formOf('updateAutomationSettings').getByText('This is not JSON').waitFor();
      expect(sent).toEqual([]);
      await bring('updateAutomationSettings');
      await see('not-json', 'updateAutomationSettings');
      await toggle('updateAutomationSettings');
    });

    it('an unreachable server', async () => {
      await open('privateKeyStatus');
      const path = '**/auth/private-key';
      await page.route(path, (route) => route.abort('connectionrefused'));
      await send('privateKeyStatus');
      await formOf('privateKeyStatus').getByText('Keyward cannot be reached').waitFor();
      await bring('privateKeyStatus');
      await see('away', 'privateKeyStatus');
      await page.unroute(path);
    });

    it('the session is over', async () => {
      const path = '**/auth/private-key';
      const body = JSON.stringify({ detail: 'Could not validate credentials' });
      await page.route(path, (route) =>
        route.fulfill({ status: 401, contentType: 'application/json', body }),
      );
      await send('privateKeyStatus');
      await page.getByText('Your sign-in has expired.').waitFor();
      await answers('privateKeyStatus', /^401/);
      await see('ended');
      await page.unroute(path);
    });
  });

  it.each([320, 375])('no part of it is wider than a phone of %d pixels', async (width) => {
    await using visit = await world.visit({ viewport: { width, height: 740 } });
    const { page } = visit;
    await page.goto('api/v1/docs#createApiKey');
    await page.getByRole('banner').waitFor();
    const { open } = useReference(() => page);
    // With parameters, and with a body.
    for (const id of ['apiKeys', 'verifyApiKey']) await open(id);
    await layOutAll(page);
    await page.locator('details').evaluateAll((all) => {
      for (const details of all) (details as HTMLDetailsElement).open = true;
    });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    const wide = await page
      .locator('main *:not(pre *)')
      .evaluateAll((all) =>
        all
          .filter((part) => part.checkVisibility() && part.getBoundingClientRect().right > innerWidth)
          .map(({ outerHTML }) => outerHTML.slice(0, 80)),
      );
    expect(wide).toEqual([]);
    await page.locator('#createApiKey').evaluate((each) => each.scrollIntoView());
    await takePicture(page, `reference-phone-${width}`);
  });

  it('forced colours show the current part, and a fault', async () => {
    await using visit = await world.visit({ forcedColors: 'active' });
    await visit.page.goto('api/v1/docs#createApiKey');
    await visit.page.locator('.contents a[aria-current]').waitFor();
    const decorated = await visit.page
      .locator('.contents a[aria-current]')
      .evaluate((each) => getComputedStyle(each).borderInlineStartStyle);
    expect(decorated).toBe('solid');
    await takePicture(visit.page, 'reference-forced-colours');
  });
});
