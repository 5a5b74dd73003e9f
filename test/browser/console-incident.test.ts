import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, bodyOf, canRun, jsonOf, startWorld, type Visit, type World } from '../support/browser.ts';
import {
  askFor,
  between,
  call,
  clipboard,
  createKey,
  dialog,
  goTo,
  idOf,
  inspect,
  isValid,
  keyRow,
  looks,
  openConsole,
  said,
  takeSecret,
} from './console-person.ts';

/** The service does what it is asked, and the first response to a change is lost. */
const loseFirstResponse = () => {
  let isLost = false;
  return async (route: Route) => {
    const { variables = {} } = jsonOf(route.request()) as { variables?: object };
    if (isLost || !('graceSeconds' in variables || 'name' in variables)) return route.continue();
    isLost = true;
    await answerOf(route);
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
    const person = `incident-${look}`;
    let visit: Visit;
    let page: Page;
    let secret: string;
    beforeAll(async () => {
      visit = await world.visit({ ...options, reducedMotion: 'reduce', permissions: clipboard });
      page = await openConsole(visit, person);
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
      expect(await keyRow(page, 'Lost').count()).toBe(1);
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
      expect(await keyRow(page, 'After').count()).toBe(0);
    });

    it('a response is lost while a key is rotated → trying again shows the secret that works', async () => {
      await using _fault = await between(page, loseFirstResponse());
      await askFor(page, 'Laptop', 'Rotate…');
      await dialog(page).getByRole('button', { name: 'Rotate' }).click();
      await dialog(page).getByRole('alert').waitFor();
      await dialog(page).getByRole('button', { name: 'Rotate' }).click();
      expect(await isValid(world, await takeSecret(page))).toBe(true);
    });

    const search = () => page.getByRole('searchbox', { name: 'Search API keys' });
    const answer = () => page.locator('.answer');

    it('a leaked key in the search → says whose it is, sends it nowhere, and stops it', async () => {
      const sent: (string | null)[] = [];
      page.on('request', (request) => sent.push(request.url(), bodyOf(request)));
      const id = await idOf(world, person, 'Deploy');
      await call(world, person, `PATCH /auth/keys/${id}`, { name: 'GitHub Actions: deploy' });
      await goTo(page, 'API keys');
      // Whatever the filter says.
      await page.getByRole('radio', { name: /^Inactive/ }).check({ force: true });
      for (const text of [secret, ` ${secret} `]) {
        await search().fill('');
        await search().fill(text);
        await page.getByRole('heading', { name: /^This is .*\. It still works\.$/ }).waitFor();
        expect(await search().inputValue()).toBe(secret.slice(0, 9));
        expect(await page.getByRole('rowheader').count()).toBe(1);
      }
      await answer().getByText('The pasted text did not leave this page.', { exact: false }).waitFor();
      await inspect(page, `incident-search-${look}`);
      expect(sent.join()).not.toContain(secret.slice(10));
      expect(await page.content()).not.toContain(secret.slice(10));

      await answer().getByRole('link', { name: 'Rotate and end this secret…' }).click();
      await dialog(page).getByRole('button', { name: 'Rotate' }).click();
      const next = await takeSecret(page);
      expect([await isValid(world, secret), await isValid(world, next)]).toEqual([false, true]);
      secret = next;
    });

    it('a previous secret that still works → says so, and ends it alone', async () => {
      const id = await idOf(world, person, 'GitHub Actions: deploy');
      const { key } = await call(world, person, `POST /auth/keys/${id}/rotate`, { grace_seconds: 3600 });
      expect(await isValid(world, secret)).toBe(true);
      await goTo(page, 'API keys');
      await page.reload();
      await search().fill(secret);
      await page
        .getByRole('heading', { name: /^This is a previous secret of .*\. It still works\.$/ })
        .waitFor();
      await inspect(page, `incident-previous-${look}`);
      await answer().getByRole('link', { name: 'End this secret now…' }).click();
      await inspect(page, `incident-end-secret-${look}`);
      await dialog(page).getByRole('button', { name: 'End now' }).click();
      await said(page, 'was ended.');
      expect([await isValid(world, secret), await isValid(world, key)]).toEqual([false, true]);
      await goTo(page, 'API keys');
      await search().fill(secret);
      // A secret that has ended is in no list any more: this is no all-clear for others.
      await answer().getByText('It may be a secret that has ended', { exact: false }).waitFor();
      await search().fill('');
      await goTo(page, 'Activity');
      await page.getByText('had a previous secret ended', { exact: false }).waitFor();
      await page.getByText(`Secret: ended (was ${secret.slice(0, 9)})`, { exact: false }).waitFor();
      await goTo(page, 'API keys');
    });

    it('a secret of no key in the search → says what was compared', async () => {
      await search().fill(`sk-zzzzzz.${'0'.repeat(64)}`);
      await page.getByRole('heading', { name: 'None of your keys begins with sk-zzzzzz.' }).waitFor();
      await answer()
        .getByText(/^\d keys were compared/)
        .waitFor();
      await inspect(page, `incident-search-none-${look}`);
      await search().fill('');
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
      await createKey(page, 'Unused');
      await askFor(page, 'Unused', 'Deactivate…');
      await dialog(page).getByText('The key has never been used.').waitFor();
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    });
  });
});
