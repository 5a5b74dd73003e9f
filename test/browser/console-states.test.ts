import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerOf,
  canRun,
  findViolations,
  remoteName,
  startWorld,
  type Visit,
  type World,
} from '../support/browser.ts';
import {
  askFor,
  between,
  clipboard,
  createKey,
  dialog,
  focused,
  goTo,
  inspect,
  keyRow,
  looks,
  showAllKeys,
  signInAs,
} from './console-person.ts';

describe.skipIf(!canRun)('the console’s states', () => {
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
    beforeAll(async () => {
      visit = await world.visit({ ...options, reducedMotion: 'reduce', permissions: clipboard });
      page = visit.page;
      await page.goto('console');
    });
    afterAll(async () => {
      await visit?.[Symbol.asyncDispose]();
    });

    /** Goes to a view that was not read before, and sees it wait. */
    const seeLoading = async (view: string) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await using _slow = await between(page, (route) => released.then(() => route.continue()));
      await goTo(page, view);
      await page.getByText(`Loading ${view.toLowerCase()}`).waitFor();
      await page.locator('.loading .bar').first().waitFor();
      await inspect(page, `loading-${look}`);
      release();
      await page.locator('.loading').waitFor({ state: 'detached' });
    };

    it('nobody is signed in', async () => {
      await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor();
      await inspect(page, `signed-out-${look}`);
    });

    it('nothing yet', async () => {
      await signInAs(visit, `new-${look}`);
      await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
      await inspect(page, `no-keys-${look}`);
      await goTo(page, 'Private key');
      await page.getByRole('heading', { name: 'No private key' }).waitFor();
      await inspect(page, `no-private-key-${look}`);
      await goTo(page, 'Automation');
      await page.getByText('Never saved.').waitFor();
      await inspect(page, `no-settings-${look}`);
      await seeLoading('Activity');
      await page.getByRole('heading', { name: 'No changes yet' }).waitFor();
      await inspect(page, `no-activity-${look}`);
    });

    it('keys in each state, and every dialog about one', async () => {
      await goTo(page, 'API keys');
      await page.getByRole('button', { name: 'Create your first API key' }).click();
      await inspect(page, `create-${look}`);
      await dialog(page).getByLabel('Name').fill('x'.repeat(101));
      await dialog(page).getByLabel('Expires').selectOption({ label: 'On a date that you choose' });
      await dialog(page).getByLabel('Date and time').fill('2020-01-01T12:00');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).getByRole('alert').getByText('Choose a date and time in the future.').waitFor();
      expect(await focused(page)).toBe('Date and time');
      await dialog(page).getByLabel('Date and time').fill('');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).getByRole('alert').getByText('Choose a date and a time.').waitFor();
      await dialog(page).getByLabel('Expires').selectOption({ label: 'Never' });
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).getByRole('alert').getByText('Must have at most 100 characters.').waitFor();
      expect(await focused(page)).toBe('Name');
      await inspect(page, `create-refused-${look}`);
      await dialog(page).getByLabel('Name').fill('First');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).getByLabel('Secret').waitFor();
      await inspect(page, `secret-${look}`);
      await dialog(page).getByRole('button', { name: 'I have stored it' }).click();
      await createKey(page, 'Second');
      await page.getByRole('button', { name: 'Actions for Second' }).click();
      await inspect(page, `menu-${look}`);
      await page.keyboard.press('Escape');
      for (const action of ['Rotate…', 'Deactivate…']) {
        await askFor(page, 'Second', action);
        await dialog(page).waitFor();
        await inspect(page, `${action.slice(0, -1).toLowerCase()}-${look}`);
        await page.keyboard.press('Escape');
      }
      await inspect(page, `key-${look}`);
      await page.getByRole('button', { name: 'Deactivate…' }).click();
      await dialog(page).getByRole('button', { name: 'Deactivate' }).click();
      await page.getByText('Second was deactivated.').waitFor();
      await inspect(page, `key-inactive-${look}`);
      await goTo(page, 'API keys');
      await showAllKeys(page);
      await inspect(page, `keys-${look}`);
    });

    it('a private key, and its dialogs', async () => {
      await goTo(page, 'Private key');
      await page.getByRole('button', { name: 'Register a private key' }).click();
      await dialog(page).getByRole('textbox').fill('0x1');
      await dialog(page).getByRole('button', { name: 'Register' }).click();
      await dialog(page).getByText('64 digits; this text has 1.', { exact: false }).waitFor();
      await inspect(page, `register-refused-${look}`);
      await dialog(page).getByRole('textbox').fill('ab'.repeat(32));
      await dialog(page).getByRole('button', { name: 'Register' }).click();
      await page.getByText('Registered', { exact: true }).first().waitFor();
      await inspect(page, `private-key-${look}`);
      await page.getByRole('button', { name: 'Remove' }).click();
      await inspect(page, `remove-${look}`);
      await page.keyboard.press('Escape');
    });

    it('names of one long word, and from right to left', async () => {
      await goTo(page, 'API keys');
      for (const name of ['n'.repeat(100), 'مفتاح الخادم ABC']) await createKey(page, name);
      await keyRow(page, 'n'.repeat(100)).waitFor();
      await inspect(page, `long-names-${look}`);
      for (const action of ['Rotate…', 'Deactivate…']) {
        await askFor(page, 'n'.repeat(100), action);
        await dialog(page).waitFor();
        await inspect(page, `long-name-${action.slice(0, -1).toLowerCase()}-${look}`);
        if (action === 'Rotate…') await page.keyboard.press('Escape');
      }
      await page.getByRole('heading', { level: 1, name: 'n'.repeat(100) }).waitFor();
      await dialog(page).getByRole('button', { name: 'Deactivate' }).click();
      await page.getByText(`${'n'.repeat(100)} was deactivated.`).waitFor();
      // Where the list happens to stand, a bar may hide half a button of another key.
      await page.evaluate(() => scrollTo(0, 0));
      await inspect(page, `long-name-said-${look}`);
      await goTo(page, 'API keys');
      await page.getByRole('searchbox').fill('no key is called so');
      await page.getByText('No API keys match.').waitFor();
      await inspect(page, `none-found-${look}`);
    });

    it('settings and activity', async () => {
      await goTo(page, 'Automation');
      await page.getByRole('switch').click();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      await inspect(page, `settings-switched-${look}`);
      await page.getByLabel('Session length').fill('1');
      await page.getByRole('button', { name: 'Save session length' }).click();
      await page.getByRole('alert').getByText('Must be at least 60 seconds.').waitFor();
      expect(await focused(page)).toBe('Session length');
      await inspect(page, `settings-refused-${look}`);
      await page.getByRole('button', { name: 'Discard' }).click();
      await goTo(page, 'Activity');
      await page.locator('.events').getByText('Second').first().waitFor();
      await inspect(page, `activity-${look}`);
    });
  });

  it('accepts a pasted token if no client is registered', async () => {
    await using visit = await world.visit();
    const { page } = visit;
    await page.route('**/console', async (route) => {
      const response = await answerOf(route);
      const text = await response.text();
      const body = text.replace(/(?<=id="settings">).*?(?=<)/, (settings) =>
        JSON.stringify({ ...JSON.parse(settings), signIn: undefined }),
      );
      await route.fulfill({ response, body });
    });
    await page.goto('console');
    const field = page.getByRole('main').getByLabel('Access token');
    expect(await field.getAttribute('type')).toBe('password');
    expect(await findViolations(page)).toEqual([]);
    await field.fill('no token');
    await field.press('Enter');
    await page.getByRole('alert').getByText('three parts', { exact: false }).waitFor();
    await field.fill(await world.service.token('alice'));
    await field.press('Enter');
    await keyRow(page, 'Laptop').waitFor();
  });

  it('accepts a token on a page without TLS', async () => {
    await using visit = await world.visit({
      baseURL: `${world.service.url.replace('127.0.0.1', remoteName)}/`,
    });
    const { page } = visit;
    await page.goto('console');
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    const field = page.getByRole('main').getByLabel('Access token');
    await field.fill(await world.service.token('alice'));
    await field.press('Enter');
    await keyRow(page, 'Laptop').waitFor();
  });
});
