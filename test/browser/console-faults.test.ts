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
  keyRow,
  looks,
  signInAs,
} from './console-person.ts';

const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({ status, headers, body: '{}' });

/** The service is asked with a token that it did not give. */
const spoilToken = (route: Route) =>
  route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer spoiled' } });

describe.skipIf(!canRun)('the console when something fails', () => {
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
      await signInAs(visit, `new-${look}`);
      await createKey(page, 'First');
    });
    afterAll(async () => {
      await visit?.[Symbol.asyncDispose]();
    });

    it.each([
      ['nothing answers', 'network', (route: Route) => route.abort(), 'Keyward cannot be reached'],
      ['the service is down', '503', refuse(503, { 'retry-after': '7' }), 'Try again in 7 seconds.'],
      ['the service fails', '500', refuse(500, { 'x-request-id': 'r-1' }), 'Something went wrong'],
      ['it was too much', '429', refuse(429, { 'retry-after': '1' }), 'Try again in 1 second.'],
    ])('%s: it says so, keeps what is typed, and goes on', async (_what, name, handle, sentence) => {
      await goTo(page, 'API keys');
      await page.getByRole('button', { name: 'Create API key' }).click();
      await dialog(page).getByLabel('Name').fill(`Typed before ${name}`);
      {
        await using _fault = await between(page, handle);
        await dialog(page).getByRole('button', { name: 'Create' }).click();
        await dialog(page).getByRole('alert').getByText(sentence, { exact: false }).waitFor();
        await inspect(page, `dialog-${name}-${look}`);
      }
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page)
        .getByRole('heading', { name: `Typed before ${name} was created` })
        .waitFor();
      await dialog(page).getByRole('button', { name: 'I have stored it' }).click();
      {
        await using _fault = await between(page, handle);
        await goTo(page, 'Activity');
        await goTo(page, 'API keys');
        await page.getByRole('alert').getByText(sentence, { exact: false }).waitFor();
        await inspect(page, `page-${name}-${look}`);
      }
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('alert').waitFor({ state: 'detached' });
    });

    it('a request hangs: it says so after 15 seconds, and whether the change may have been made', async () => {
      // Of this page's time alone, which the test turns forward.
      await page.clock.install();
      await page.getByRole('button', { name: 'Create API key' }).click();
      await dialog(page).getByLabel('Name').fill('Hangs');
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      {
        await using _hung = await between(page, async (route) => {
          await released;
          // The page has given it up by then.
          await route.abort().catch(() => {});
        });
        const asked = page.waitForRequest('**/graphql');
        await dialog(page).getByRole('button', { name: 'Create' }).click();
        await asked;
        await page.clock.fastForward(14_000);
        expect(await dialog(page).getByRole('alert').count()).toBe(0);
        await page.clock.fastForward(1_000);
        await dialog(page)
          .getByText('if it was done already, you get the same result', { exact: false })
          .waitFor();
        await inspect(page, `dialog-hangs-${look}`);
        await page.keyboard.press('Escape');
        const read = page.waitForRequest('**/graphql');
        await goTo(page, 'Activity');
        await read;
        await page.clock.fastForward(15_000);
        await page.getByRole('alert').getByText('Try again in a moment.', { exact: false }).waitFor();
        release();
      }
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await page.clock.resume();
      await goTo(page, 'API keys');
    });

    it('the session ended: signing in again keeps what was typed', async () => {
      await page.getByRole('button', { name: 'Create API key' }).click();
      await dialog(page).getByLabel('Name').fill('Outlives the token');
      {
        await using _refused = await between(page, spoilToken);
        await dialog(page).getByRole('button', { name: 'Create' }).click();
        await dialog(page).getByRole('alert').getByText('Your sign-in has expired.').waitFor();
        await inspect(page, `dialog-ended-${look}`);
      }
      // The provider still knows who it is, and asks nothing.
      await dialog(page).getByRole('button', { name: 'Sign in again' }).click();
      await dialog(page).getByText('You are signed in again.', { exact: false }).waitFor();
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).getByRole('heading', { name: 'Outlives the token was created' }).waitFor();
      await dialog(page).getByRole('button', { name: 'I have stored it' }).click();
    });

    it('the session ended while reading: the page stays', async () => {
      await goTo(page, 'Private key');
      {
        await using _refused = await between(page, spoilToken);
        await goTo(page, 'API keys');
        await page.getByText('Sign in again to continue', { exact: false }).waitFor();
        await keyRow(page, 'First').waitFor();
        await inspect(page, `page-ended-${look}`);
      }
      await page.getByRole('alert').getByRole('button', { name: 'Sign in again' }).click();
      await page.getByText('Sign in again to continue', { exact: false }).waitFor({ state: 'detached' });
      await keyRow(page, 'First').waitFor();
    });

    it('somebody else signs in: nothing of the previous person is left', async () => {
      await page.getByRole('button', { name: `new-${look}` }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor();
      await visit.signInBy(
        () => page.getByRole('main').getByRole('button', { name: 'Sign in' }).click(),
        'bob',
      );
      await keyRow(page, 'Notebook').waitFor();
      expect(await keyRow(page, 'First').count()).toBe(0);
    });

    it('a scope is missing: it says which, and requests it', async () => {
      const token = await world.service.token('bob', 'openid email');
      {
        await using _less = await between(page, (route) =>
          route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${token}` } }),
        );
        await goTo(page, 'Activity');
        await page.getByRole('alert').getByText('lacks the scope: profile', { exact: false }).waitFor();
        await inspect(page, `scope-missing-${look}`);
      }
      await page.getByRole('button', { name: 'Sign in with the required scopes' }).click();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await goTo(page, 'API keys');
      await keyRow(page, 'Notebook').waitFor();
    });
  });
});

describe.skipIf(!canRun)('CONSOLE=off', () => {
  it('has no console', async () => {
    await using world = await startWorld({ CONSOLE: 'off' });
    expect((await fetch(`${world.service.url}/console`)).status).toBe(404);
  });
});
