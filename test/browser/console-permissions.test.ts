import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type World } from '../support/browser.ts';
import { createTemporaryFolder } from '../support/process.ts';
import {
  clipboard,
  dialog,
  focused,
  inspect,
  looks,
  openConsole,
  openKey,
  said,
  tabTo,
  takeSecret,
} from './console-person.ts';

const reports = Array.from({ length: 20 }, (_, index) => `reports.${index}`);
const listed = ['documents.read', 'documents.write', 'payments.refund', 'search', ...reports];

describe.skipIf(!canRun)('permissions that the provider lists', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  let world: World;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    const file = join(folder.path, 'plans.json');
    const plan = { permissions: ['documents.*', 'search', 'reports.*'] };
    writeFileSync(file, JSON.stringify({ default: 'free', plans: { free: plan } }));
    world = await startWorld({
      API_KEY_PERMISSIONS: listed.join(),
      PLANS_FILE: file,
    });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  it.each(looks)('%s: a person chooses them without knowing their names', async (look, options) => {
    const person = `chooser-${look}`;
    await using visit = await world.visit({ ...options, reducedMotion: 'reduce', permissions: clipboard });
    const page = await openConsole(visit, person);
    const radio = (name: RegExp) => dialog(page).getByRole('radio', { name });
    const box = (name: string) => dialog(page).getByRole('checkbox', { name, exact: true });
    const create = () => dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Create API key' }).click();
    await dialog(page).getByLabel('Name').fill('Writer');
    await inspect(page, `permissions-${look}`);

    // Nothing is chosen for the person.
    expect(await radio(/^These/).isChecked()).toBe(true);
    await create();
    await dialog(page).getByText('Choose at least one, or choose “Nothing special”.').waitFor();
    await expect.poll(() => focused(page)).toBe('documents.read');
    await inspect(page, `permissions-none-chosen-${look}`);

    expect(await radio(/^Everything Not in your plan/).isDisabled()).toBe(true);
    expect(await box('payments.refund not in your plan').isDisabled()).toBe(true);
    await box('Documents').check();
    await box('documents.read').uncheck();
    expect(await box('Documents').evaluate((input: HTMLInputElement) => input.indeterminate)).toBe(true);
    await dialog(page).getByRole('searchbox', { name: 'Filter permissions' }).fill('S.17');
    await box('reports.17').check();
    await dialog(page).getByText('2 of 24 chosen').waitFor();
    // What is ticked stays, even if another choice hides it for a moment.
    await radio(/^Nothing special/).check();
    expect(await box('reports.17').count()).toBe(0);
    await radio(/^These/).check();
    await inspect(page, `permissions-filtered-${look}`);
    await create();
    await takeSecret(page);
    await openKey(page, 'Writer');
    const settings = page.getByRole('region', { name: 'Permissions and limits' });
    await settings.getByText('documents.writereports.17').waitFor();

    await page.getByRole('button', { name: 'Edit permissions' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: /^These 2 of 24 chosen/ }).waitFor();
    await inspect(page, `permissions-in-place-${look}`);
    await tabTo(page, 'These 2 of 24 chosen');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await said(page, 'Permissions saved.');
    await settings.getByText('Nothing special: only requests that need no permission').waitFor();
    await expect.poll(() => focused(page)).toBe('Edit permissions');
  });
});
