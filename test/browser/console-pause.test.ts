import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type Visit, type World } from '../support/browser.ts';
import { matchOf, type Scanner, startScanner } from '../support/scanner.ts';
import {
  askFor,
  between,
  call,
  clipboard,
  createKey,
  dialog,
  focused,
  goTo,
  idOf,
  inspect,
  isValid,
  keyRow,
  looks,
  openConsole,
  openKey,
  said,
  showAllKeys,
  signInAsOperator,
  takeSecret,
} from './console-person.ts';

describe.skipIf(!canRun)('paused keys in the console', () => {
  let scanner: Scanner;
  let world: World;
  beforeAll(async () => {
    scanner = await startScanner();
    world = await startWorld({ ADMIN: 'on', LEAKED_KEYS: 'pause', LEAK_REPORT_KEYS_URL: scanner.url });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await scanner?.[Symbol.asyncDispose]();
  });

  describe.each(looks)('%s', (look, options) => {
    const person = `pausing-${look}`;
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

    const pause = () => page.getByRole('region', { name: 'Pause' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });

    it('the menu pauses a key; the reason is optional, but not too long', async () => {
      await askFor(page, 'Deploy', 'Pause…');
      await dialog(page).getByText('until you resume it', { exact: false }).waitFor();
      await inspect(page, `pause-dialog-${look}`);
      await dialog(page).getByLabel('Reason (optional)').fill('Is it still needed?');
      await dialog(page).getByRole('button', { name: 'Pause Deploy' }).click();
      await said(page, 'Deploy is paused.');
      expect(await isValid(world, secret)).toBe(false);
      await pause().getByText('Is it still needed?').waitFor();
      await page.getByText('These work again when the key is resumed.').waitFor();
      await inspect(page, `pause-page-${look}`);
    });

    it('the list shows it under Paused, and no longer under Active', async () => {
      await goTo(page, 'API keys');
      await keyRow(page, 'Laptop').waitFor();
      expect(await keyRow(page, 'Deploy').count()).toBe(0);
      await page.getByRole('radio', { name: /^Paused/ }).check({ force: true });
      await keyRow(page, 'Deploy').getByText('Paused', { exact: true }).waitFor();
      expect(await keyRow(page, 'Laptop').count()).toBe(0);
      await showAllKeys(page);
      await keyRow(page, 'Laptop').waitFor();
      await inspect(page, `pause-list-${look}`);
    });

    it('a pasted secret of a paused key is not said to work', async () => {
      await page.getByRole('searchbox', { name: 'Search API keys' }).fill(secret);
      await page.getByRole('heading', { name: /^This is .*\. The key is paused\.$/ }).waitFor();
      await inspect(page, `pause-search-${look}`);
    });

    it('it is changed and rotated as ever', async () => {
      await openKey(page, 'Deploy');
      await button('Edit quota').click();
      await page.getByLabel('Quota', { exact: true }).fill('100');
      await button('Save quota').click();
      await said(page, 'Quota saved.');
      await button('Rotate…').waitFor();
      expect(await button('Pause…').count()).toBe(0);
      expect(await button('Make default').count()).toBe(0);
    });

    it('one click resumes it, and Undo pauses it again with the same reason', async () => {
      await openKey(page, 'Deploy');
      await button('Resume').click();
      await said(page, 'Deploy was resumed.');
      expect(await isValid(world, secret)).toBe(true);
      await pause().waitFor({ state: 'detached' });
      // Its button is gone, and a keyboard does not start over.
      await expect.poll(() => focused(page)).toBe('Deploy');
      await button('Undo').click();
      await said(page, 'Deploy is paused.');
      expect(await isValid(world, secret)).toBe(false);
      await pause().getByText('Is it still needed?').waitFor();
      await button('Resume').click();
      await said(page, 'Deploy was resumed.');
    });

    it('a pause that fails says so, and loses nothing that was typed', async () => {
      await button('Pause…').click();
      await dialog(page).getByLabel('Reason (optional)').fill('Once more');
      {
        await using _fault = await between(page, (route) => route.abort());
        await dialog(page).getByRole('button', { name: 'Pause Deploy' }).click();
        await dialog(page).getByRole('alert').waitFor();
      }
      expect(await dialog(page).getByLabel('Reason (optional)').inputValue()).toBe('Once more');
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
      expect(await isValid(world, secret)).toBe(true);
    });

    it('whoever is not sure is offered a pause in place of the end', async () => {
      await button('Deactivate…').click();
      await dialog(page).getByRole('button', { name: 'Pause it instead…' }).click();
      await dialog(page).getByRole('heading', { name: 'Pause Deploy?' }).waitFor();
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    });

    it("an operator's pause says so, and its owner has no button for it", async () => {
      const id = await idOf(world, person, 'Deploy');
      const reason = 'Ticket 42: it was found in a log';
      await call(world, 'olga', `POST /admin/keys/${id}/pause`, { reason }, 'keyward.admin');
      await page.reload();
      await pause().getByText('Only your provider can resume it.').waitFor();
      await pause().getByText(reason).waitFor();
      expect(await button('Resume').count()).toBe(0);
      await inspect(page, `pause-by-operator-${look}`);
      await goTo(page, 'Activity');
      await page.getByText(`Reason: ${reason}`).first().waitFor();
      const events = page.locator('.events > li');
      expect(await events.first().innerText()).toContain('was paused');
      await inspect(page, `pause-activity-${look}`);
    });

    it('a key that was found in public is paused; its rotation ends the secret at once', async () => {
      const { key, id } = await call(world, person, 'POST /auth/keys', { name: 'Script' });
      const report = scanner.report([matchOf(key, 'https://example.com/a.txt')]);
      const answer = await fetch(`${world.service.url}/api/v1/keys/leaks`, { method: 'POST', ...report });
      expect(answer.status).toBe(200);
      await page.goto(`console#keys/${id}`);
      await pause().getByText('because it was found in public', { exact: false }).waitFor();
      await inspect(page, `pause-by-scanner-${look}`);
      await page.getByText('was found in public and paused', { exact: false }).waitFor();
      await pause().getByRole('button', { name: 'Rotate…' }).click();
      await dialog(page).getByRole('button', { name: 'Rotate' }).click();
      const next = await takeSecret(page);
      await button('Resume').click();
      await said(page, 'Script was resumed.');
      expect([await isValid(world, key), await isValid(world, next)]).toEqual([false, true]);
    });

    it('an operator pauses and resumes keys', async () => {
      await using operators = await world.visit({ ...options, reducedMotion: 'reduce' });
      const [key] = await call(world, 'olga', 'POST /admin/keys/find', { key: secret }, 'keyward.admin');
      const operating = await signInAsOperator(
        operators,
        'alice',
        `#operate/${key.user_id}/keys/${key.key_id}`,
      );
      await operating.getByRole('heading', { level: 1, name: 'Deploy' }).waitFor();
      const act = async (label: string, done: string) => {
        await operating.getByRole('button', { name: label, exact: true }).click();
        await dialog(operating).getByLabel('Reason').fill(`To ${label.toLowerCase()} it`);
        await dialog(operating).getByRole('button', { name: label, exact: true }).click();
        await said(operating, `Deploy ${done}.`);
      };
      await operating.getByText('by an operator', { exact: false }).waitFor();
      await inspect(operating, `pause-operate-${look}`);
      await act('Resume', 'was resumed');
      expect(await isValid(world, secret)).toBe(true);
      await act('Pause', 'is paused');
      expect(await isValid(world, secret)).toBe(false);
    });
  });
});
