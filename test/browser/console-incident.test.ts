import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type Visit, type World } from '../support/browser.ts';
import {
  between,
  clipboard,
  createKey,
  dialog,
  goTo,
  inspect,
  isValid,
  keyItem,
  looks,
  openConsole,
  takeSecret,
} from './console-person.ts';

/** The service does what it is asked, and the first response to a change is lost. */
const loseFirstResponse = () => {
  let isLost = false;
  return async (route: Route) => {
    const { variables = {} } = route.request().postDataJSON() as { variables?: object };
    if (isLost || !('graceSeconds' in variables || 'name' in variables)) return route.continue();
    isLost = true;
    await route.fetch();
    await route.abort();
  };
};

describe.skipIf(!canRun)('the console in an incident', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  describe.each(looks)('%s', (look, options) => {
    let visit: Visit;
    let page: Page;
    let secret: string;
    beforeAll(async () => {
      visit = await world.visit({ ...options, reducedMotion: 'reduce', permissions: clipboard });
      page = await openConsole(visit, `incident-${look}`);
      secret = await createKey(page, 'Deploy');
      await createKey(page, 'Laptop');
    });
    afterAll(() => visit?.[Symbol.asyncDispose]());

    it('a response is lost while a key is created → trying again shows its secret, and there is one key', async () => {
      await using _fault = await between(page, loseFirstResponse());
      await page.getByRole('button', { name: 'Create API key' }).click();
      await dialog(page).getByLabel('Name').fill('Lost');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).getByRole('alert').waitFor();
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      const shown = await takeSecret(page);
      expect(await isValid(world, shown)).toBe(true);
      expect(await keyItem(page, 'Lost').count()).toBe(1);
    });

    it('… and the form was changed → it says that the key is there already', async () => {
      await using _fault = await between(page, loseFirstResponse());
      await page.getByRole('button', { name: 'Create API key' }).click();
      await dialog(page).getByLabel('Name').fill('Before');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).getByRole('alert').waitFor();
      await dialog(page).getByLabel('Name').fill('After');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).getByText('An earlier attempt succeeded', { exact: false }).waitFor();
      await inspect(page, `incident-done-already-${look}`);
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
      await page.reload();
      expect(await keyItem(page, 'After').count()).toBe(0);
    });

    it('a response is lost while a key is rotated → trying again shows the secret that works', async () => {
      await using _fault = await between(page, loseFirstResponse());
      await keyItem(page, 'Laptop').getByRole('button', { name: 'Rotate' }).click();
      await dialog(page).getByRole('button', { name: 'Rotate' }).click();
      await dialog(page).getByRole('alert').waitFor();
      await dialog(page).getByRole('button', { name: 'Rotate' }).click();
      expect(await isValid(world, await takeSecret(page))).toBe(true);
    });

    it('a whole secret in the search → says whose it is, and sends it nowhere', async () => {
      const sent: (string | null)[] = [];
      page.on('request', (request) => sent.push(request.url(), request.postData()));
      const search = page.getByRole('searchbox', { name: 'Search API keys' });
      for (const text of [secret, ` ${secret} `]) {
        await search.fill(text);
        await page.getByText('This is Deploy, active.', { exact: false }).waitFor();
        expect(await page.getByRole('list', { name: 'API keys' }).getByRole('listitem').count()).toBe(1);
      }
      await inspect(page, `incident-search-${look}`);
      await keyItem(page, 'Deploy').getByRole('button', { name: 'Deactivate' }).waitFor();
      expect(sent.join()).not.toContain(secret.slice(10));
    });

    it('a secret of no key in the search → no all-clear', async () => {
      await page.getByRole('searchbox', { name: 'Search API keys' }).fill(`sk-zzzzzz.${'0'.repeat(64)}`);
      await page.getByText('No key starts like this now.', { exact: false }).waitFor();
      await inspect(page, `incident-search-none-${look}`);
      await page.getByRole('searchbox', { name: 'Search API keys' }).fill('');
    });

    it('automation cannot be switched → the switch shows what is stored', async () => {
      await goTo(page, 'Automation');
      const automation = page.getByRole('switch', { name: 'Automation' });
      await automation.waitFor();
      {
        await using _fault = await between(page, (route) => route.abort());
        await automation.click();
        await page.getByRole('alert').waitFor();
        expect(await automation.getAttribute('aria-checked')).toBe('false');
        expect(await automation.isChecked()).toBe(false);
        await inspect(page, `incident-switch-${look}`);
      }
      await goTo(page, 'API keys');
    });

    it('before a key is deactivated → says when and how often it was used', async () => {
      await keyItem(page, 'Deploy').getByRole('button', { name: 'Deactivate' }).click();
      await dialog(page).getByText('The key has never been used.').waitFor();
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    });
  });
});
