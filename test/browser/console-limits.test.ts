import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type Visit, type World } from '../support/browser.ts';
import {
  call,
  clipboard,
  dialog,
  focused,
  goTo,
  inspect,
  keyItem,
  looks,
  said,
  signInAs,
  tabTo,
  takeSecret,
} from './console-person.ts';

const exact = { exact: true };
const fifty = Array.from({ length: 50 }, (_, number) => `reports.${number}.read`);
const rightToLeft = 'مفتاح الخادم ABC';
const longName = 'n'.repeat(100);

describe.skipIf(!canRun)('limits and permissions in the console', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  describe.each(looks)('%s', (look, options) => {
    const person = `limits-${look}`;
    let visit: Visit;
    let page: Page;
    /** What the page sent with the last change. */
    let sent: Record<string, unknown> = {};
    beforeAll(async () => {
      visit = await world.visit({ ...options, reducedMotion: 'reduce', permissions: clipboard });
      page = visit.page;
      page.on('request', (request) => {
        const { variables = {} } = (request.postDataJSON() ?? {}) as { variables?: Record<string, unknown> };
        if (request.url().endsWith('/graphql') && !('first' in variables)) sent = variables;
      });
      await page.goto('/console');
      await signInAs(visit, person);
      await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    });
    afterAll(async () => {
      await visit?.[Symbol.asyncDispose]();
    });

    const openLimits = () => dialog(page).getByText('Limits and permissions').click();
    const openEditor = (name: string) => keyItem(page, name).getByRole('button', { name: 'Edit' }).click();
    const save = () => dialog(page).getByRole('button', { name: 'Save changes' }).click();
    const refused = (words: string) =>
      dialog(page).getByRole('alert').getByText(words, { exact: false }).waitFor();

    it('asks for a name and an end alone, where nothing else is wanted', async () => {
      await page.getByRole('button', { name: 'Create API key' }).click();
      await dialog(page).getByText('Limits and permissions').waitFor();
      expect(await dialog(page).getByLabel('Permissions').isVisible()).toBe(false);
      await inspect(page, `limits-folded-${look}`);
      await dialog(page).getByLabel('Name').fill('Plain');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await takeSecret(page);
      expect(Object.keys(sent).sort()).toEqual(['expiresAt', 'name']);
      expect(await keyItem(page, 'Plain').locator('.limits').count()).toBe(0);
    });

    it('makes a key with all of it, and says at its field what is refused', async () => {
      await page.getByRole('button', { name: 'Create API key' }).click();
      await openLimits();
      await inspect(page, `limits-open-${look}`);
      await dialog(page).getByLabel('Name').fill('Limited');
      await dialog(page).getByLabel('Permissions').fill('documents.read\nDocuments!');
      await dialog(page).getByLabel('Works only from').fill('192.0.2.0/24\n300.1.1.1');
      await dialog(page).getByLabel('Rate limit', exact).fill('lots');
      // What is folded away again is unfolded by its fault.
      await openLimits();
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await refused('Must be a whole number, such as 1000.');
      await expect.poll(() => focused(page)).toBe('Rate limit');
      await dialog(page).getByLabel('Rate limit', exact).fill('100');
      await dialog(page).getByLabel('Quota', exact).fill('99 999 999 999');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await refused('Is too large a number.');
      await dialog(page).getByLabel('Quota', exact).fill('2000000000');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await refused('“Documents!” must be 1 to 100 characters of a-z');
      await refused('“300.1.1.1” must be an IP address or a range of them');
      await refused('Must be at most 1000000000.');
      await expect.poll(() => focused(page)).toBe('Permissions');
      await inspect(page, `limits-refused-${look}`);
      expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Limited');
      await dialog(page).getByLabel('Permissions').fill('documents.*, mail.send\nmail.send');
      await dialog(page).getByLabel('Works only from').fill('192.0.2.0/24');
      await dialog(page).getByLabel('Quota', exact).fill('1,000');
      await dialog(page).getByLabel('Period of the quota').selectOption({ label: 'each day' });
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await takeSecret(page);
      expect(sent).toMatchObject({
        permissions: ['documents.*', 'mail.send'],
        allowedAddresses: ['192.0.2.0/24'],
        rateLimit: { limit: 100, windowSeconds: 60 },
        quota: { limit: 1000, refill: 'DAILY' },
      });
      const item = keyItem(page, 'Limited');
      await item
        .getByText('May do all of documents and mail.send, only from 192.0.2.0/24, at most 100 requests a minute.')
        .waitFor();
      await item.getByText('1,000 of 1,000 requests left today').waitFor();
      expect(await item.getByRole('meter').getAttribute('value')).toBe('1000');
      await item.getByText(/^Full again in \d+ (hour|minute)/).waitFor();
    });

    it('changes a key, and sends what was changed alone', async () => {
      await openEditor('Limited');
      expect(await dialog(page).getByLabel('Permissions').inputValue()).toBe('documents.*\nmail.send');
      expect(await dialog(page).getByLabel('Expires').inputValue()).toBe('stays');
      await inspect(page, `edit-${look}`);
      await save();
      await said(page, 'There is nothing to save.');
      await openEditor('Limited');
      await dialog(page).getByLabel('Permissions').fill('mail.send\nBAD');
      await dialog(page).getByLabel('Rate limit', exact).fill('');
      await save();
      await refused('“BAD” must be');
      expect(await dialog(page).getByLabel('Rate limit', exact).inputValue()).toBe('');
      await dialog(page).getByLabel('Permissions').fill('mail.send');
      await save();
      await said(page, 'Limited is saved.');
      expect(sent).toEqual({ keyId: expect.any(Number), permissions: ['mail.send'], rateLimit: null });
      await keyItem(page, 'Limited').getByText('May do mail.send, only from 192.0.2.0/24.').waitFor();
      await expect.poll(() => focused(page)).toMatch(/^Edit/);
    });
  });
});
