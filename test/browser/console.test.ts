import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, jsonOf, startWorld, stored, type Visit, type World } from '../support/browser.ts';
import {
  call,
  clipboard,
  dialog,
  focused,
  goTo,
  isValid,
  keyRow,
  openConsole,
  said,
  tabTo,
} from './console-person.ts';

const privateKey = `0x${'5e'.repeat(32)}`;

describe.skipIf(!canRun)('the console of a service with other limits', () => {
  it('shows them', async () => {
    await using world = await startWorld({ SESSION_DURATION_MIN: '120', SESSION_DURATION_MAX: '7200' });
    await using visit = await world.visit();
    await openConsole(visit, 'alice', '#automation');
    await visit.page.getByText('2 minutes to 2 hours, in seconds or with a unit', { exact: false }).waitFor();
  });
});

describe.skipIf(!canRun)('the console', () => {
  let world: World;
  let visit: Visit;
  beforeAll(async () => {
    world = await startWorld();
    visit = await world.visit({ permissions: clipboard });
    await openConsole(visit, 'alice');
  });
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  it('is where a browser is redirected from /', async () => {
    await using other = await world.visit();
    await other.page.goto('.');
    expect(other.page.url()).toBe(`${world.service.url}/console`);
  });

  it('replaces, removes and registers the private key', async () => {
    const { page } = visit;
    await goTo(page, 'Private key');
    const submit = async (button: string, value: string) => {
      await page.getByRole('button', { name: button, exact: true }).click();
      const field = dialog(page).getByRole('textbox', { name: 'Private key' });
      expect(await field.getAttribute('type')).toBe('password');
      await field.fill(value);
      await dialog(page).getByRole('button', { name: /^Re/ }).click();
    };
    await submit('Replace', 'ab ab');
    const fault = dialog(page).getByRole('alert');
    await fault.getByText('Spaces and line breaks are not allowed.', { exact: false }).waitFor();
    expect(await focused(page)).toBe('Private key');
    for (const [typed, words] of [
      ['not-a-key', '“n” is not allowed'],
      ['0xab', '64 digits; this text has 2.'],
      ['00'.repeat(32), 'Must be a private key'],
    ] as const) {
      await dialog(page).getByRole('textbox', { name: 'Private key' }).fill(typed);
      await dialog(page).getByRole('button', { name: 'Replace' }).click();
      await fault.getByText(words, { exact: false }).waitFor();
    }
    await dialog(page).getByRole('textbox', { name: 'Private key' }).fill(` ${privateKey} `);
    await dialog(page).getByRole('button', { name: 'Replace' }).click();
    await said(page, 'The private key was replaced.');
    await page.getByRole('button', { name: 'Remove' }).click();
    await dialog(page).getByRole('button', { name: 'Remove private key' }).click();
    await said(page, 'The private key was removed.');
    await page.getByRole('heading', { name: 'No private key' }).waitFor();
    await submit('Register a private key', privateKey);
    await said(page, 'The private key was registered.');
    expect(await page.content()).not.toContain(privateKey);
    expect(await stored(page)).not.toContain(privateKey);
  });

  it('sets the automation settings within their limits, and clears them', async () => {
    const { page } = visit;
    await goTo(page, 'Automation');
    await page.getByText('Never saved.').waitFor();
    expect(await page.getByText('Not set', { exact: true }).count()).toBe(2);
    const save = () => page.getByRole('button', { name: 'Save session length' }).click();
    const length = page.getByLabel('Session length');
    await length.fill('59');
    await save();
    await page.getByText('Must be at least 60 seconds.').waitFor();
    await length.fill('1.5 h');
    await page.getByText('1 hour 30 minutes').waitFor();
    await save();
    await said(page, 'Session length: 1 hour 30 minutes.');
    expect(await length.inputValue()).toBe('5400');
    await page.getByText('Saved just now', { exact: false }).waitFor();
    await length.fill('');
    await save();
    await said(page, 'Session length: not set.');
  });

  it('saves the automation switch at once, and undoes it', async () => {
    const { page } = visit;
    const isEnabled = async () => (await call(world, 'alice', 'PUT /automation/settings')).is_enabled;
    const automation = page.getByRole('switch', { name: 'Automation' });
    await automation.click();
    await said(page, 'Automation: on.');
    expect(await isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Automation: not set.');
    expect(await isEnabled()).toBeNull();
    await automation.click();
    await said(page, 'Automation: on.');
    await page.getByRole('button', { name: 'Clear automation' }).click();
    expect(await focused(page)).toBe('Automation');
    await said(page, 'Automation: not set.');
  });

  it('offers Undo only on the page that shows the result', async () => {
    const { page } = visit;
    await page.getByRole('switch', { name: 'Automation' }).click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    await goTo(page, 'Activity');
    await undo.waitFor({ state: 'detached', timeout: 3_000 });
    await goTo(page, 'Automation');
    await page.getByRole('button', { name: 'Clear automation' }).click();
    await said(page, 'Automation: not set.');
  });

  it('asks before an unsaved session length is lost', async () => {
    const { page } = visit;
    const asked: string[] = [];
    await page.getByLabel('Session length').fill('120');
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await goTo(page, 'Activity');
    await expect.poll(() => asked).toEqual(['Discard the changes that are not saved?']);
    expect(await page.getByLabel('Session length').inputValue()).toBe('120');
    await page.getByRole('button', { name: 'Discard' }).click();
    await goTo(page, 'Private key');
    await page.getByRole('heading', { name: 'Private key', level: 1 }).waitFor();
  });

  it('says in words what was changed', async () => {
    const { page } = visit;
    const { id } = await call(world, 'alice', 'POST /auth/keys', { name: 'Mail robot' });
    await call(world, 'alice', `PATCH /auth/keys/${id}`, { name: 'Robot' });
    await call(world, 'alice', `PUT /auth/keys/${id}/default`);
    await call(world, 'alice', `POST /auth/keys/${id}/rotate`);
    await call(world, 'alice', `DELETE /auth/keys/${id}`);
    await goTo(page, 'Activity');
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    // The names of keys come a little later.
    await page.getByText(`Robot (API key ${id}) was deactivated`).waitFor();
    const text = (await page.getByRole('main').textContent()) ?? '';
    for (const sentence of [
      `Mail robot (API key ${id}) was created`,
      `API key ${id} was renamed from Mail robot to Robot`,
      `Robot (API key ${id}) replaced Laptop (API key 1) as the default key`,
      `Robot (API key ${id}) was rotated`,
      `Robot (API key ${id}) was deactivated`,
      'Your private key was registered',
      'Your private key was removed',
      'Your automation settings were changed',
      'From 127.0.0.1',
    ])
      expect(text).toContain(sentence);
    // What has no words yet would be spelled as the service spells it.
    expect(text).not.toMatch(/api key (created|renamed|rotated)|private key (registered|removed)/);
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  });

  it('shows what was saved, even if it cannot be read again', async () => {
    const { page } = visit;
    await goTo(page, 'Automation');
    await page.getByLabel('Session length').fill('120');
    await page.route('**/graphql', (route) =>
      'sessionDuration' in (jsonOf(route.request()).variables as object) ? route.continue() : route.abort(),
    );
    await page.getByRole('button', { name: 'Save session length' }).click();
    await said(page, 'Session length: 2 minutes.');
    expect(await page.getByLabel('Session length').inputValue()).toBe('120');
    await page.getByText('2 minutes', { exact: true }).waitFor();
    await page.unroute('**/graphql');
  });

  it('does not mention scopes, and its menu closes after use', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'alice' }).click();
    await page.getByText('Signed in as alice', { exact: false }).waitFor();
    expect(await page.locator('.sign-in-menu').textContent()).toMatch(/^Signed in as alice\.Sign out$/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('.sign-in-menu').waitFor({ state: 'hidden' });
    await visit.signInBy(() => page.getByRole('main').getByRole('button', { name: 'Sign in' }).click());
    await page.getByRole('navigation', { name: 'Console' }).waitFor();
    expect(await page.locator('.sign-in-menu').isVisible()).toBe(false);
  });

  it('works with the keyboard alone: create, copy, deactivate', async () => {
    const { page } = visit;
    await goTo(page, 'API keys');
    await keyRow(page, 'Laptop').waitFor();
    await tabTo(page, 'Create API key');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Name');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await dialog(page).getByLabel('Secret').waitFor();
    await tabTo(page, 'Copy');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Copied.').waitFor();
    expect(await isValid(world, await page.evaluate(() => navigator.clipboard.readText()))).toBe(true);
    await tabTo(page, 'I have stored it');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Create API key');
    await page.getByRole('button', { name: 'Actions for By keyboard' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Use, limits and secrets');
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.ariaLabel))
      .toBe('Actions for By keyboard');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Deactivate…');
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    await tabTo(page, 'Deactivate By keyboard');
    await page.keyboard.press('Enter');
    await said(page, 'By keyboard was deactivated.');
    await expect.poll(() => focused(page)).toBe('By keyboard');
  });

  it('follows the content security policy, and sends requests only to the service', () => {
    const refused = /Failed to load resource.*(422|401)/;
    expect(visit.complaints.filter((complaint) => !refused.test(complaint))).toEqual([]);
    expect(visit.foreign()).toEqual([]);
  });

  it('does not store the token, and is still signed in after a reload', async () => {
    const { page } = visit;
    expect(await stored(page)).not.toMatch(/eyJ/);
    await goTo(page, 'Private key');
    await page.reload();
    await page.getByRole('heading', { name: 'Registered private key' }).waitFor();
    expect(await stored(page)).not.toMatch(/eyJ/);
  });
});
