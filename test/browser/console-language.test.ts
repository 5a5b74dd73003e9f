import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type Visit, type World } from '../support/browser.ts';
import { english, german, textsOf } from '../support/languages.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { call, clipboard, createKey, dialog, inspect, keyRow, said } from './console-person.ts';

const { text } = german;

/** The texts that English has and German has not: nobody who reads German should meet them. */
const own = new Set(Object.values(textsOf('de')));
const foreign = new Set(Object.values(textsOf('en')).filter((each) => !own.has(each)));

describe.skipIf(!canRun)('the console in German', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  let world: World;
  let visit: Visit;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    writeFileSync(join(folder.path, 'de.json'), '{"automation.title": "Selbstlauf"}');
    world = await startWorld({
      ADMIN: 'on',
      CONSOLE_LOCALES: 'en-GB,de',
      PROVIDER_MESSAGES: folder.path,
    });
    visit = await world.visit({ locale: 'de-AT', permissions: clipboard });
    await visit.page.goto('console');
  });
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const link = (name: string) =>
    visit.page
      .getByRole('navigation', { name: text('console.title') })
      .getByRole('link', { name, exact: true });

  /** Sees that nothing on the page is in English. */
  async function expectGerman(name: string) {
    const { page } = visit;
    const lines = (await page.locator('body').innerText()).split('\n').map((line) => line.trim());
    expect(lines.filter((line) => foreign.has(line))).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
    await inspect(page, name, 'german');
  }

  it('greets a person whose browser prefers it', async () => {
    const { page } = visit;
    await page.getByRole('heading', { name: text('console.keys-and-settings') }).waitFor();
    await expect.poll(() => page.title()).toBe('Konsole · Keyward');
    await expectGerman('signed-out');
  });

  it('signs in, creates a key and manages it', async () => {
    const { page } = visit;
    const popup = visit.context.waitForEvent('page');
    await page
      .getByRole('main')
      .getByRole('button', { name: text('console.sign-in') })
      .click();
    const provider = await popup;
    await provider.getByLabel('Another name').fill('greta');
    await provider.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByRole('button', { name: text('keys.create'), exact: true }).waitFor();
    await createKey(page, 'Build server', german);
    await createKey(page, 'Mail robot', german);
    await keyRow(page, 'Mail robot').waitFor();
    await expectGerman('keys');
    await keyRow(page, 'Mail robot').getByRole('link').click();
    await page.getByRole('heading', { name: text('key.history') }).waitFor();
    await expectGerman('key');
    await page.getByRole('button', { name: text('key.pause') }).click();
    await dialog(page)
      .getByRole('button', { name: text('key.pause-submit', { name: 'Mail robot' }) })
      .click();
    await said(page, text('key.paused', { name: 'Mail robot' }));
  });

  it('says in German what the API says in English', async () => {
    const { page } = visit;
    const [key] = (await call(world, 'greta', 'GET /auth/keys')) as { id: number; name: string }[];
    await page.goto(`console#keys/${key?.id}`);
    await page.getByRole('button', { name: text('key.rotate') }).click();
    await call(world, 'greta', `DELETE /auth/keys/${key?.id}`);
    await dialog(page)
      .getByRole('button', { name: text('key.rotate-submit') })
      .click();
    await dialog(page).getByText('Der API-Schlüssel ist inaktiv.').waitFor();
    await dialog(page)
      .getByRole('button', { name: text('common.cancel') })
      .click();
  });

  it.each([
    ['usage', text('console.view-usage'), text('usage.title')],
    ['private-key', text('console.view-private-key'), text('private-key.title')],
    ['automation', text('console.view-automation'), 'Selbstlauf'],
    ['activity', text('console.view-activity'), text('activity.title')],
  ])('shows %s', async (name, view, title) => {
    await link(view).click();
    await visit.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await visit.page.waitForLoadState('networkidle');
    await expectGerman(name);
  });

  it('shows operators their view', async () => {
    const { page } = visit;
    await page.goto('console#operate');
    await page
      .getByRole('button', { name: text('operate.sign-in') })
      .first()
      .click();
    await page.getByText('greta').first().waitFor();
    await page.getByRole('searchbox').waitFor();
    await expectGerman('operate');
    // One answer refused what had changed meanwhile.
    expect(visit.complaints.filter((each) => !each.includes('409'))).toEqual([]);
  });

  it('speaks English to everybody else', async () => {
    await using other = await world.visit({ locale: 'fr-FR' });
    await other.page.goto('console');
    await other.page.getByRole('heading', { name: english.text('console.keys-and-settings') }).waitFor();
    expect(await other.page.evaluate(() => document.documentElement.lang)).toBe('en-GB');
  });
});
