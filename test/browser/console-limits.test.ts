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
  isValid,
  keyItem,
  looks,
  said,
  signInAs,
  tabTo,
  takeSecret,
} from './console-person.ts';

const exact = { exact: true };
const fifty = Array.from({ length: 50 }, (_, number) => `reports.${number}.read`);
// The audit trail keeps no longer list.
const thirty = fifty.slice(0, 30);
const rightToLeft = 'مفتاح الخادم ABC';
const inAYear = () => new Date(Date.now() + 365 * 86_400_000).toISOString();
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
        const isChange = Object.keys(variables).length > 0 && !('first' in variables);
        if (request.url().endsWith('/graphql') && isChange) sent = variables;
      });
      await page.goto('/console');
      await signInAs(visit, person);
      await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    });
    afterAll(async () => {
      await visit?.[Symbol.asyncDispose]();
    });

    const idOf = async (name: string): Promise<number> => {
      const text = await keyItem(page, name)
        .getByText(/^ID \d+/)
        .textContent();
      return Number(/\d+/.exec(text ?? '')?.[0]);
    };
    const openLimits = () => dialog(page).getByText('Limits any address').click();
    const choose = (name: RegExp) => dialog(page).getByRole('radio', { name }).check();
    const permissions = () => dialog(page).getByLabel('Permissions', exact);
    const others = () => dialog(page).getByLabel('Other permissions');
    const openEditor = (name: string) => keyItem(page, name).getByRole('button', { name: 'Edit' }).click();
    const save = () => dialog(page).getByRole('button', { name: 'Save changes' }).click();
    const refused = (words: string) =>
      dialog(page).getByRole('alert').getByText(words, { exact: false }).waitFor();

    it('asks only for a name, what the key may do, and an expiry at first', async () => {
      await page.getByRole('button', { name: 'Create API key' }).click();
      await dialog(page).getByText('Limits any address, no rate limit, no quota').waitFor();
      expect(await dialog(page).getByLabel('Allowed IP addresses').isVisible()).toBe(false);
      const nothing = dialog(page).getByRole('radio', {
        name: /^Nothing special Only requests that need no/,
      });
      expect(await nothing.isChecked()).toBe(true);
      expect(await permissions().isVisible()).toBe(false);
      await inspect(page, `limits-folded-${look}`);
      await dialog(page).getByLabel('Name').fill('Plain');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await takeSecret(page);
      expect(Object.keys(sent).sort()).toEqual(['expiresAt', 'name']);
      await keyItem(page, 'Plain').getByText('May do: nothing special.', exact).waitFor();
    });

    it('creates a key with everything, and shows each problem at its field', async () => {
      await page.getByRole('button', { name: 'Create API key' }).click();
      await openLimits();
      await inspect(page, `limits-open-${look}`);
      await dialog(page).getByLabel('Name').fill('Limited');
      await dialog(page).getByLabel('Description').fill('Reads the drafts.\nOf the team.');
      await choose(/^These/);
      await permissions().fill('documents.read\nDocuments!');
      await dialog(page).getByLabel('Allowed IP addresses').fill('192.0.2.0/24\n300.1.1.1');
      await dialog(page).getByLabel('Rate limit', exact).fill('lots');
      // What is folded away again is unfolded by its fault.
      await dialog(page).locator('summary').click();
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await refused('Must be a whole number, such as 1000.');
      await expect.poll(() => focused(page)).toBe('Rate limit');
      await dialog(page).getByLabel('Rate limit', exact).fill('100');
      await dialog(page).getByLabel('Quota', exact).fill('99 999 999 999');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await refused('The number is too large.');
      await dialog(page).getByLabel('Quota', exact).fill('2000000000');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await refused('“Documents!” must be 1 to 100 characters of a-z');
      await refused('“300.1.1.1” must be an IP address or a range, such as');
      await refused('Must be at most 1000000000.');
      await expect.poll(() => focused(page)).toBe('Permissions');
      await inspect(page, `limits-refused-${look}`);
      expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Limited');
      await permissions().fill('documents.*, mail.send\nmail.send');
      await dialog(page).getByLabel('Allowed IP addresses').fill('192.0.2.0/24');
      await dialog(page).getByLabel('Quota', exact).fill('1,000');
      await dialog(page).getByLabel('Quota period').selectOption({ label: 'per day' });
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await takeSecret(page);
      expect(sent).toMatchObject({
        description: 'Reads the drafts.\nOf the team.',
        permissions: ['documents.*', 'mail.send'],
        allowedAddresses: ['192.0.2.0/24'],
        rateLimit: { limit: 100, windowSeconds: 60 },
        quota: { limit: 1000, refill: 'DAILY' },
      });
      const item = keyItem(page, 'Limited');
      await item.getByText('Reads the drafts. Of the team.').waitFor();
      await item
        .getByText(
          'May do: all of documents and mail.send. Only from 192.0.2.0/24, at most 100 requests per minute.',
        )
        .waitFor();
      await item.getByText('1,000 of 1,000 requests left today').waitFor();
      expect(await item.getByRole('meter').getAttribute('value')).toBe('1000');
      await item.getByText(/^Refills in \d+ (hour|minute)/).waitFor();
    });

    it('changes a key, and sends only what was changed', async () => {
      await openEditor('Limited');
      const box = (name: string) => dialog(page).getByRole('checkbox', { name, exact: true });
      for (const name of ['All of documents', 'mail.send']) expect(await box(name).isChecked()).toBe(true);
      expect(await dialog(page).getByLabel('Expires').inputValue()).toBe('stays');
      await inspect(page, `edit-${look}`);
      await save();
      await said(page, 'No changes to save.');
      await openEditor('Limited');
      await box('All of documents').uncheck();
      await others().fill('BAD');
      await dialog(page).getByLabel('Rate limit', exact).fill('');
      await save();
      await refused('“BAD” must be');
      expect(await dialog(page).getByLabel('Rate limit', exact).inputValue()).toBe('');
      await others().fill('');
      await save();
      await said(page, 'Limited was saved.');
      expect(sent).toEqual({ keyId: expect.any(Number), permissions: ['mail.send'], rateLimit: null });
      await keyItem(page, 'Limited').getByText('May do: mail.send. Only from 192.0.2.0/24.').waitFor();
      await expect.poll(() => focused(page)).toMatch(/^Edit/);
    });

    it('changes only what was edited, and keeps changes made elsewhere meanwhile', async () => {
      const id = await idOf('Limited');
      await openEditor('Limited');
      await call(world, person, `PATCH /auth/keys/${id}`, { allowed_addresses: ['198.51.100.7'] });
      // The person comes back to the page, which reads it anew below the dialog.
      await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
      await page.locator('.limits').getByText('198.51.100.7').waitFor();
      await dialog(page).getByLabel('Name').fill('Limited still');
      await save();
      await said(page, 'Limited still was saved.');
      expect(sent).toEqual({ keyId: id, name: 'Limited still' });
      await keyItem(page, 'Limited still').getByText('May do: mail.send. Only from 198.51.100.7.').waitFor();
    });

    it('allows only a new name for a key that is over', async () => {
      await keyItem(page, 'Plain')
        .getByRole('button', { name: /^Deactivate/ })
        .click();
      await dialog(page).getByRole('button', { name: 'Deactivate Plain' }).click();
      await said(page, 'Plain was deactivated.');
      await keyItem(page, 'Plain')
        .getByRole('button', { name: /^Rename/ })
        .click();
      expect(await dialog(page).getByText('May do').count()).toBe(0);
      await dialog(page).getByLabel('Name').fill('Plain no more');
      await dialog(page).getByRole('button', { name: 'Rename' }).click();
      await said(page, 'Plain no more was saved.');
    });

    it('shows keys with many settings, with nothing left, and with unusual names', async () => {
      const some = { permissions: ['documents.read'], quota: { limit: 1_000_000_000, refill: 'monthly' } };
      for (const body of [
        { ...some, name: longName, metadata: { plan: 'gold', note: `${rightToLeft} ${longName}` } },
        { name: rightToLeft, permissions: ['*'], rate_limit: { limit: 1, window_seconds: 90 } },
        { name: 'Fifty', permissions: fifty, allowed_addresses: ['2001:db8::/32'], expires_at: inAYear() },
        { name: 'Nothing', quota: { limit: 0, refill: 'daily' } },
      ])
        await call(world, person, 'POST /auth/keys', body);
      const ended = await call(world, person, 'POST /auth/keys', { name: 'Leaked' });
      const itself = `${world.service.url}/api/v1/keys/self`;
      await fetch(itself, { method: 'DELETE', headers: { 'x-api-key': ended.key } });
      const { id, key } = await call(world, person, 'POST /auth/keys', {
        name: 'Used up',
        quota: { limit: 3, refill: 'never' },
      });
      for (let times = 0; times < 3; times += 1) expect(await isValid(world, key)).toBe(true);
      expect(await isValid(world, key)).toBe(false);
      await goTo(page, 'Private key');
      await goTo(page, 'API keys');
      expect(await idOf('Used up')).toBe(id);
      await keyItem(page, longName)
        .getByText('1,000,000,000 of 1,000,000,000 requests left this month')
        .waitFor();
      await keyItem(page, longName).getByText('Metadata').click();
      await keyItem(page, longName).getByText('"plan": "gold"', { exact: false }).waitFor();
      await keyItem(page, rightToLeft)
        .getByText('May do: everything. At most 1 request every 1 minute 30')
        .waitFor();
      await keyItem(page, 'Nothing').getByText('No requests are allowed: the quota is 0.').waitFor();
      await keyItem(page, 'Used up').getByText('None of 3 requests left').waitFor();
      const meter = keyItem(page, 'Used up').getByRole('meter');
      expect(await meter.evaluate((bar: HTMLMeterElement) => [bar.value, bar.max > 0])).toEqual([0, true]);
      expect(await keyItem(page, 'Used up').getByText('Refills').count()).toBe(0);
      const many = keyItem(page, 'Fifty');
      await many.getByText('and 47 other permissions. Only from 2001:db8::/32.', { exact: false }).waitFor();
      await many.getByText('All 50 permissions').click();
      await many.getByRole('listitem').getByText('reports.49.read').waitFor();
    });

    it.each([
      ['rtl', rightToLeft],
      ['used-up', 'Used up'],
      ['fifty', 'Fifty'],
      ['long', longName],
    ])('is well made where it shows such a key: %s', async (what, name) => {
      await page.getByRole('searchbox').fill(name);
      await page.getByText(/^1 of \d+ keys$/).waitFor();
      await page.evaluate(() => scrollTo(0, 0));
      await inspect(page, `limits-key-${what}-${look}`);
      await page.getByRole('searchbox').fill('');
    });

    it('is accessible while a key with many settings is edited', async () => {
      await openEditor(longName);
      await inspect(page, `edit-long-${look}`);
      await page.keyboard.press('Escape');
      await openEditor('Fifty');
      await inspect(page, `edit-fifty-${look}`);
      await dialog(page).getByText('Days and months begin', { exact: false }).scrollIntoViewIfNeeded();
      await inspect(page, `edit-fifty-end-${look}`);
      await page.keyboard.press('Escape');
    });

    it('works with the keyboard alone: unfold, fill in, save', async () => {
      await keyItem(page, 'Nothing').getByRole('button', { name: 'Edit' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toBe('Name');
      await tabTo(page, 'Allowed IP addresses');
      await page.keyboard.type('2001:db8::7');
      await tabTo(page, 'Quota');
      await page.keyboard.type('10');
      await page.keyboard.press('Enter');
      await said(page, 'Nothing was saved.');
      expect(sent).toMatchObject({
        allowedAddresses: ['2001:db8::7'],
        quota: { limit: 10, refill: 'DAILY' },
      });
      await expect.poll(() => focused(page)).toBe('Edit Nothing');
    });

    it('follows the content security policy', () => {
      const wanted = /Failed to load resource.*(422|401)/;
      expect(visit.complaints.filter((complaint) => !wanted.test(complaint))).toEqual([]);
    });

    it('says what changed from what to what, with the names at that time', async () => {
      const id = await idOf('Limited still');
      await call(world, person, `PATCH /auth/keys/${id}`, { expires_at: null, permissions: thirty });
      await call(world, person, `PATCH /auth/keys/${id}`, {
        quota: null,
        rate_limit: { limit: 5, window_seconds: 1 },
      });
      await call(world, person, `PUT /auth/keys/${id}/default`);
      await call(world, person, `POST /auth/keys/${id}/rotate`, { grace_seconds: 3600 });
      await call(world, person, `PATCH /auth/keys/${id}`, { name: rightToLeft });
      for (const body of [{ is_enabled: true, session_duration: 3600 }, { is_enabled: false }])
        await call(world, person, 'PUT /automation/settings', body);
      await goTo(page, 'Activity');
      const event = (words: string | RegExp) => page.locator('.events > li').filter({ hasText: words });
      await event('Automation: off (was on)').waitFor();
      await event('Session length: 1 hour (was not set)').waitFor();
      await event(`API key ${id} was renamed from Limited still to ${rightToLeft}`).waitFor();
      await event(`Limited still (API key ${id}) was rotated`)
        .getByText('Previous secret works: until', { exact: false })
        .waitFor();
      await event(`Limited still (API key ${id}) replaced`).waitFor();
      await event(/Leaked \(API key \d+\) deactivated itself/).waitFor();
      await event('Rate limit: 5 requests per second (was none)').waitFor();
      await event('Quota: none (was 1,000 requests per day)').waitFor();
      await event(/Expires: never \(was \d+ \w+ \d{4}/)
        .first()
        .waitFor();
      await event('Permissions: 30 added, 1 removed').getByText('30 added').click();
      await event('1 removed').getByText('reports.29.read', { exact: false }).waitFor();
      await inspect(page, `activity-changes-${look}`);
      await event('Allowed IP addresses: 198.51.100.7 added; 192.0.2.0/24 removed').waitFor();
      const created = event(`Limited (API key ${id}) was created`);
      await created.getByText('Quota: 1,000 requests per day').scrollIntoViewIfNeeded();
      expect(await created.getByText('was none').count()).toBe(0);
      await inspect(page, `activity-created-${look}`);
    });
  });
});
