import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canRun, startWorld, takePicture, type Visit, type World } from '../support/browser.ts';
import {
  call,
  clipboard,
  dialog,
  goTo,
  inspect,
  isValid,
  keyRow,
  looks,
  openConsole,
  said,
  takeSecret,
} from './console-person.ts';

const days = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString();

/** What people come to the console for. Each task begins on its first page, and goes only by what is visible there. */
describe.skipIf(!canRun)('twelve tasks', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  describe.each(looks)('%s', (look, options) => {
    const person = { wide: 'hanna', phone: 'jonas' }[look];
    const secrets = new Map<string, string>();
    let visit: Visit;
    let page: Page;
    beforeAll(async () => {
      for (const body of [
        { name: 'Deploy', permissions: ['documents.read'] },
        { name: 'Nightly report', permissions: ['documents.read', 'reports.write'] },
        { name: 'Old script', expires_at: days(5) },
        { name: 'Mail robot', rate_limit: { limit: 2, window_seconds: 3600 } },
        { name: 'Forgotten' },
      ]) {
        const created = await call(world, person, 'POST /auth/keys', body);
        secrets.set(body.name, created.key);
        if (body.name !== 'Forgotten') await isValid(world, created.key);
      }
      // Two of these are too many.
      for (let times = 0; times < 3; times += 1) await isValid(world, secretOf('Mail robot'));
      visit = await world.visit({ ...options, reducedMotion: 'reduce', permissions: clipboard });
      page = await openConsole(visit, person);
    });
    afterAll(() => visit?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      await page.goto('console');
      await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    });

    const secretOf = (name: string) => secrets.get(name) ?? expect.fail(`no secret of ${name}`);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const open = async (name: string) => {
      await keyRow(page, name).getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    };
    const ask = async (name: string, permission: string) => {
      const body = { key: secretOf(name), permissions: [permission] };
      return (await call(world, 'server', 'POST /keys/verify', body, 'keys.verify')).valid as boolean;
    };

    it('1. gives a program a key, and sees that it works', async () => {
      await button('Create API key').click();
      await dialog(page).getByLabel('Name').fill('New program');
      await button('Create').click();
      await button('Copy command to test the key').click();
      await dialog(page).getByText('Copied.').waitFor();
      const command = await page.evaluate(() => navigator.clipboard.readText());
      const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent`]);
      expect(stdout).toMatch(/^HTTP\/1.1 200 /);
      secrets.set('New program', await dialog(page).getByLabel('Secret').inputValue());
      await button('I have stored it').click();
      await keyRow(page, 'New program').waitFor();
    });

    it('2. stops a key that was found in a repository', async () => {
      await page.getByRole('searchbox', { name: 'Search API keys' }).fill(secretOf('New program'));
      await page.getByRole('link', { name: 'Rotate and end this secret…' }).click();
      await button('Rotate').click();
      const next = await takeSecret(page);
      expect(await isValid(world, secretOf('New program'))).toBe(false);
      expect(await isValid(world, next)).toBe(true);
    });

    it('3. replaces a secret without an outage, and ends the old one when it is no longer used', async () => {
      await open('Deploy');
      await button('Rotate…').click();
      await button('Rotate').click();
      const next = await takeSecret(page);
      expect(await isValid(world, secretOf('Deploy'))).toBe(true);
      expect(await isValid(world, next)).toBe(true);
      await page.getByRole('region', { name: 'Secrets' }).getByText('Previous secret').waitFor();
      await page.getByRole('button', { name: /^End now/ }).click();
      await button('End now').click();
      await said(page, 'was ended.');
      expect(await isValid(world, secretOf('Deploy'))).toBe(false);
      expect(await isValid(world, next)).toBe(true);
      secrets.set('Deploy', next);
    });

    it('4. lets a key do one thing more', async () => {
      expect(await ask('Deploy', 'reports.write')).toBe(false);
      await open('Deploy');
      await button('Edit permissions').click();
      await page.getByRole('checkbox', { name: 'reports.write' }).check();
      await button('Save permissions').click();
      await said(page, 'Permissions saved.');
      expect(await ask('Deploy', 'reports.write')).toBe(true);
    });

    it('5. lets a key be used from one network only', async () => {
      await open('Deploy');
      await button('Edit addresses').click();
      await page.getByLabel('Allowed IP addresses').fill('192.0.2.0/24');
      await button('Save addresses').click();
      await said(page, 'Addresses saved.');
      const from = async (address: string) => {
        const body = { key: secretOf('Deploy'), address };
        return (await call(world, 'server', 'POST /keys/verify', body, 'keys.verify')).valid;
      };
      expect([await from('192.0.2.7'), await from('198.51.100.7')]).toEqual([true, false]);
    });

    it('6. lets a key be used 100 times a day', async () => {
      await open('Deploy');
      await button('Edit quota').click();
      await page.getByLabel('Quota', { exact: true }).fill('100');
      await page.getByLabel('Quota period').selectOption('per day');
      await button('Save quota').click();
      await said(page, 'Quota saved.');
      await page.getByText('100 of 100 requests left today').waitFor();
    });

    it('7. keeps a key alive that expires soon', async () => {
      await page.getByRole('link', { name: 'Old script' }).first().waitFor();
      await inspect(page, `tasks-list-${look}`);
      await page.getByRole('link', { name: 'Extend' }).first().click();
      await page.getByRole('combobox', { name: 'Expires' }).selectOption('In a year');
      await button('Save expiry').click();
      await said(page, 'Expiry saved.');
      const keys: { name: string; expires_at: string }[] = await call(world, person, 'GET /auth/keys');
      const { expires_at = '' } = keys.find(({ name }) => name === 'Old script') ?? {};
      expect(Date.parse(expires_at)).toBeGreaterThan(Date.parse(days(300)));
    });

    it('8. finds a key that nobody uses, and deactivates it', async () => {
      await keyRow(page, 'Forgotten').getByText('Never').first().waitFor();
      await open('Forgotten');
      await button('Deactivate…').click();
      await dialog(page)
        .getByText(/not been used|never been used|Never used/i)
        .waitFor();
      await button('Deactivate Forgotten').click();
      await said(page, 'Forgotten was deactivated.');
      expect(await isValid(world, secretOf('Forgotten'))).toBe(false);
    });

    it('9. sees who changed a key, and when', async () => {
      await open('Deploy');
      const history = page.getByRole('region', { name: 'History' });
      await history.getByText('Quota: 100 requests per day (was none)').waitFor();
      await history.getByText('Allowed IP addresses: 192.0.2.0/24 added').waitFor();
      await goTo(page, 'Activity');
      await page.getByRole('combobox', { name: 'Kind of change' }).selectOption('Keys deactivated');
      await page.getByRole('link', { name: 'Forgotten' }).waitFor();
      await expect.poll(() => page.locator('.events > li').count()).toBe(1);
    });

    it('10. switches automation on, for sessions of two hours', async () => {
      await goTo(page, 'Automation');
      await page.getByRole('switch').click();
      await said(page, 'on');
      await page.getByLabel('Session length').fill('2 h');
      await button('Save session length').click();
      await said(page, 'Session length: 2 hours.');
      expect(await call(world, person, 'GET /automation/settings')).toMatchObject({
        is_enabled: true,
        session_duration: 7200,
      });
    });

    it('11. registers a private key, and sees later which one it is', async () => {
      await goTo(page, 'Private key');
      await button('Register a private key').click();
      await dialog(page).getByLabel('Private key').fill('1'.padStart(64, '0'));
      await button('Register').click();
      await said(page, 'The private key was registered.');
      await page.reload();
      await page.getByText('2JF8vg9etJzjFwZwmkvhBLLZ0bfMVVOPivYR5lFtcec').waitFor();
      await inspect(page, `tasks-private-key-${look}`);
    });

    it('12. finds out why requests are refused, and mends it', async () => {
      await goTo(page, 'Usage');
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Mail robot' }) });
      // Counts are written every 30 seconds.
      await expect
        .poll(
          async () => {
            await page.reload();
            await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
            await row.waitFor({ timeout: 3000 }).catch(() => {});
            return row.count();
          },
          { timeout: 60_000 },
        )
        .toBe(1);
      await row.getByText('rate limited').waitFor();
      await inspect(page, `tasks-usage-${look}`);
      await row.getByRole('link', { name: 'Mail robot' }).click();
      await button('Change the rate limit').click();
      await page.getByLabel('Rate limit', { exact: true }).fill('1000');
      await button('Save rate limit').click();
      await said(page, 'Rate limit saved.');
      await button('Dismiss').click();
      expect(await isValid(world, secretOf('Mail robot'))).toBe(true);
      if (look === 'phone') return;
      await goTo(page, 'API keys');
      await keyRow(page, 'Mail robot').getByText('refused').waitFor();
      await takePicture(page, 'console');
    }, 90_000);
  });
});
