import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, jsonOf, startWorld, type Visit, type World } from '../support/browser.ts';
import {
  askFor,
  call,
  clipboard,
  dialog,
  edit,
  focused,
  goTo,
  idOf,
  inspect,
  isValid,
  keyRow,
  looks,
  openKey,
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
        if (!request.url().endsWith('/graphql')) return;
        const { variables = {} } = jsonOf(request) as { variables?: Record<string, unknown> };
        const names = Object.keys(variables).filter((name) => name !== 'keyId');
        const isChange = names.length > 0 && !names.includes('first') && !names.includes('from');
        if (isChange) sent = variables;
      });
      await page.goto('console');
      await signInAs(visit, person);
      await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    });
    afterAll(async () => {
      await visit?.[Symbol.asyncDispose]();
    });

    const openLimits = () => dialog(page).getByText('Limits any address').click();
    const choose = (name: RegExp) => dialog(page).getByRole('radio', { name }).check();
    const permissions = () => dialog(page).getByLabel('Permissions', exact);
    const save = (part: string) => page.getByRole('button', { name: `Save ${part}` }).click();
    const rights = () => page.getByRole('region', { name: 'Permissions and limits' });
    const refused = (words: string) => page.getByRole('alert').getByText(words, { exact: false }).waitFor();

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
      await keyRow(page, 'Plain').getByText('Nothing special', exact).waitFor({ state: 'attached' });
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
      await openKey(page, 'Limited');
      const about = page.getByRole('region', { name: 'About' });
      await about.getByText('Reads the drafts. Of the team.').waitFor();
      for (const text of ['documents.*mail.send', '192.0.2.0/24', 'At most 100 requests per minute'])
        await rights().getByText(text).waitFor();
      await rights().getByText('1,000 of 1,000 requests left today').waitFor();
      expect(await rights().getByRole('meter').getAttribute('value')).toBe('1000');
      await rights()
        .getByText(/^Refills in \d+ (hour|minute)/)
        .waitFor();
    });

    it('each part is edited in its place, and only what was changed is sent', async () => {
      const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
      await edit(page, 'permissions');
      for (const name of ['All of documents', 'mail.send']) expect(await box(name).isChecked()).toBe(true);
      await inspect(page, `edit-${look}`);
      await save('permissions');
      await said(page, 'No changes to save.');
      await edit(page, 'permissions');
      await box('All of documents').uncheck();
      await page.getByLabel('Other permissions').fill('BAD');
      await save('permissions');
      await refused('“BAD” must be');
      await expect.poll(() => focused(page)).toBe('Other permissions');
      await page.getByLabel('Other permissions').fill('');
      await save('permissions');
      await said(page, 'Permissions saved.');
      expect(sent).toEqual({ keyId: expect.any(Number), permissions: ['mail.send'] });
      await expect.poll(() => focused(page)).toBe('Edit permissions');
      await edit(page, 'rate limit');
      await page.getByLabel('Rate limit', exact).fill('');
      await save('rate limit');
      await said(page, 'Rate limit saved.');
      expect(sent).toEqual({ keyId: expect.any(Number), rateLimit: null });
      expect(await rights().getByText('192.0.2.0/24').count()).toBe(1);
    });

    it('keeps changes made elsewhere meanwhile, and what was typed', async () => {
      const id = await idOf(world, person, 'Limited');
      await edit(page, 'name');
      await page.getByRole('textbox', { name: 'Name' }).fill('Limited still');
      await call(world, person, `PATCH /auth/keys/${id}`, { allowed_addresses: ['198.51.100.7'] });
      // The person comes back to the page, which reads it anew.
      await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
      await rights().getByText('198.51.100.7').waitFor();
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Limited still');
      await save('name');
      await said(page, 'Name saved.');
      expect(sent).toEqual({ keyId: id, name: 'Limited still' });
      await page.getByRole('heading', { level: 1, name: 'Limited still' }).waitFor();
    });

    it('allows only a new name for a key that is over', async () => {
      await askFor(page, 'Plain', 'Deactivate…');
      await dialog(page).getByRole('button', { name: 'Deactivate Plain' }).click();
      await said(page, 'Plain was deactivated.');
      expect(await page.getByRole('button', { name: /^Edit/ }).allTextContents()).toEqual(['Edit name']);
      await edit(page, 'name');
      await page.getByRole('textbox', { name: 'Name' }).fill('Plain no more');
      await save('name');
      await said(page, 'Name saved.');
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
      await goTo(page, 'API keys');
      const badge = keyRow(page, 'Used up').getByText('Quota used up');
      await badge.waitFor();
      // Nothing of it is cut.
      expect(await badge.evaluate((element) => element.parentElement?.scrollWidth)).toBe(
        await badge.evaluate((element) => element.parentElement?.clientWidth),
      );
      await openKey(page, longName);
      await rights().getByText('1,000,000,000 of 1,000,000,000 requests left this month').waitFor();
      await page.getByText('"plan": "gold"', { exact: false }).waitFor();
      await inspect(page, `limits-key-long-${look}`);
      await openKey(page, rightToLeft);
      await rights().getByText('Everything', exact).waitFor();
      await rights().getByText('At most 1 request every 1 minute 30').waitFor();
      await inspect(page, `limits-key-rtl-${look}`);
      await openKey(page, 'Nothing');
      await rights().getByText('No requests are allowed: the quota is 0.').waitFor();
      await openKey(page, 'Used up');
      expect(new URL(page.url()).hash).toBe(`#keys/${id}`);
      await rights().getByText('None of 3 requests left').waitFor();
      const meter = rights().getByRole('meter');
      expect(await meter.evaluate((bar: HTMLMeterElement) => [bar.value, bar.max > 0])).toEqual([0, true]);
      expect(await rights().getByText('Refills').count()).toBe(0);
      await inspect(page, `limits-key-used-up-${look}`);
      await openKey(page, 'Fifty');
      await rights().getByText('reports.49.read').waitFor();
      await inspect(page, `limits-key-fifty-${look}`);
    });

    it('is accessible while a key with many settings is edited', async () => {
      for (const part of ['permissions', 'addresses', 'rate limit', 'quota', 'expiry'])
        await edit(page, part);
      await inspect(page, `edit-fifty-${look}`);
      await page.getByText('Days and months begin', { exact: false }).scrollIntoViewIfNeeded();
      await inspect(page, `edit-fifty-end-${look}`);
      for (const part of ['permissions', 'addresses', 'rate limit', 'quota', 'expiry'])
        await page.getByRole('button', { name: `Close ${part}` }).click();
    });

    it('works with the keyboard alone: open, fill in, save', async () => {
      await openKey(page, 'Nothing');
      // Opened by its address, the page still offers what other keys use.
      await page.reload();
      await edit(page, 'permissions');
      await page.getByRole('radio', { name: /^These/ }).check();
      await page.getByRole('checkbox', { name: 'reports.0.read' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Edit addresses' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toBe('Allowed IP addresses');
      await page.keyboard.type('2001:db8::7');
      await tabTo(page, 'Save addresses');
      await page.keyboard.press('Enter');
      await said(page, 'Addresses saved.');
      expect(sent).toMatchObject({ allowedAddresses: ['2001:db8::7'] });
      await tabTo(page, 'Edit quota');
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toBe('Quota');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('10');
      await page.keyboard.press('Enter');
      await said(page, 'Quota saved.');
      expect(sent).toMatchObject({ quota: { limit: 10, refill: 'DAILY' } });
      await expect.poll(() => focused(page)).toBe('Edit quota');
    });

    it('follows the content security policy', () => {
      const wanted = /Failed to load resource.*(422|401)/;
      expect(visit.complaints.filter((complaint) => !wanted.test(complaint))).toEqual([]);
    });

    it('says what changed from what to what, with the names at that time', async () => {
      const id = await idOf(world, person, 'Limited still');
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
