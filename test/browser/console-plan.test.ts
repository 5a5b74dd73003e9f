import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type World } from '../support/browser.ts';
import { createTemporaryFolder } from '../support/process.ts';
import {
  call,
  clipboard,
  dialog,
  edit,
  focused,
  goTo,
  inspect,
  isValid,
  looks,
  openConsole,
  openKey,
  said,
  takeSecret,
} from './console-person.ts';

const plans = {
  default: 'free',
  plans: {
    free: {
      permissions: ['documents.read', 'search.*'],
      rate_limit: { limit: 100, window_seconds: 60 },
      quota: { limit: 1000, refill: 'monthly' },
      max_active_keys: 5,
      max_key_days: 365,
    },
    pro: {
      permissions: ['documents.*', 'billing.*', 'search.*'],
      quota: { limit: 50_000, refill: 'monthly' },
    },
    nothing: { permissions: [] },
    unlimited: {},
  },
};

describe.skipIf(!canRun)('plans in the console', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  let world: World;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    const file = join(folder.path, 'plans.json');
    writeFileSync(file, JSON.stringify(plans));
    world = await startWorld({ ADMIN: 'on', PLANS_FILE: file });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const entitle = (userId: number, entitlement: object) =>
    call(world, 'billing', `PUT /admin/accounts/${userId}/entitlement`, entitlement, 'accounts.entitle');
  const verify = (key: string, cost: number) =>
    call(world, 'server', 'POST /keys/verify', { key, cost }, 'keys.verify');

  describe.each(looks)('%s', (look, options) => {
    it('a person sees what is left, can choose what the plan allows, and sees what a key lost', async () => {
      const subject = `owner-${look}`;
      await using visit = await world.visit({ ...options, reducedMotion: 'reduce', permissions: clipboard });
      const page = await openConsole(visit, subject);
      const plan = page.getByRole('region', { name: 'Your plan' });
      await plan.getByText('at most 5 active keys, 365 days per key').waitFor();
      await plan.getByText('100 of 100 requests per minute left').waitFor();
      await plan.getByText('1,000 of 1,000 requests left this month').waitFor();

      await page.getByRole('button', { name: 'Create API key' }).click();
      await dialog(page).getByLabel('Name').fill('Reader');
      await dialog(page).getByRole('checkbox', { name: 'documents.read' }).check();
      await dialog(page).getByLabel('Other permissions').fill('search.images billing.read');
      await inspect(page, `plan-form-${look}`);
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      await dialog(page).getByText('Remove: billing.read.', { exact: false }).waitFor();
      await expect.poll(() => focused(page)).toBe('Other permissions');
      await dialog(page).getByLabel('Other permissions').fill('search.images');
      await dialog(page).getByLabel('Expires').selectOption('In 365 days, the most that your plan allows');
      await dialog(page).getByRole('button', { name: 'Create' }).click();
      const secret = await takeSecret(page);
      await openKey(page, 'Reader');
      await page.getByText('documents.readsearch.images').waitFor();
      expect(await page.getByText('Limited by your plan').count()).toBe(0);
      await goTo(page, 'API keys');
      expect(await isValid(world, secret)).toBe(true);

      const { user_id: userId } = await verify(secret, 949);
      await page.reload();
      await plan.getByText('50 of 1,000 requests left this month').waitFor();
      await plan.getByText('98 of 100 requests per minute left').waitFor();
      await inspect(page, `plan-${look}`);

      // Another plan: the key keeps what it was given, and one made under it loses most.
      await entitle(userId, { plan: 'unlimited' });
      const all = { name: 'All', permissions: ['*', 'billing.refund'] };
      await call(world, subject, 'POST /auth/keys', all);
      await page.reload();
      await page.getByText('Plan unlimited').waitFor();
      await openKey(page, 'All');
      await page.getByText('Everything', { exact: true }).waitFor();
      expect(await page.getByText('Limited by your plan').count()).toBe(0);
      await entitle(userId, { plan: 'free' });
      await page.reload();
      await page
        .getByText(
          'Limited by your plan: * works only as documents.read, search.*; billing.refund does not work.',
        )
        .waitFor();
      await inspect(page, `plan-lost-${look}`);

      // It keeps what it has while something else of it is changed.
      await edit(page, 'permissions');
      const radio = (name: RegExp) => page.getByRole('radio', { name });
      expect(await radio(/^Everything/).isChecked()).toBe(true);
      await radio(/^These/).check();
      const refund = page.getByRole('checkbox', { name: 'billing.refund not in your plan' });
      expect(await refund.isChecked()).toBe(true);
      await page.getByRole('checkbox', { name: 'All of search' }).check();
      await page.getByRole('button', { name: 'Save permissions' }).click();
      await said(page, 'Permissions saved.');
      await page.getByText('billing.refundsearch.*').waitFor();
    });
  });

  it('an operator sees and sets it, with a reason', async () => {
    const { user_id: userId } = await call(world, 'mallory', 'PUT /automation/settings', {
      is_enabled: true,
    });
    await using visit = await world.visit();
    const page = await openConsole(visit, 'alice', `#operate/${userId}`);
    const become = page.getByRole('button', { name: 'Sign in as an operator' });
    await become.click();
    await become.waitFor({ state: 'detached' });
    const card = page.getByRole('region', { name: 'Plan' });
    await card.getByText('Default plan').waitFor();
    await card.getByText('documents.read, search.*').waitFor();
    await inspect(page, 'operate-plan');
    await card.getByRole('button', { name: 'Change plan' }).click();
    await dialog(page).getByLabel('Plan', { exact: true }).fill('gold');
    await dialog(page).getByLabel('Overrides').fill('{');
    await dialog(page).getByLabel('Reason').fill('A complaint');
    const save = () => dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await save();
    await dialog(page).getByText('Must be a JSON object', { exact: false }).waitFor();
    await dialog(page).getByLabel('Overrides').fill('{"max_active_keys": 7}');
    await save();
    await dialog(page).getByText('Must be a plan in PLANS_FILE.').waitFor();
    await inspect(page, 'operate-plan-refused');
    await dialog(page).getByLabel('Plan', { exact: true }).fill('pro');
    await save();
    await said(page, 'The plan of mallory was saved.');
    await card.getByText('50,000 requests per month, 7 active keys').waitFor();
    await card.getByText('Overrides').click();
    await inspect(page, 'operate-plan-set');
    await using theirs = await world.visit();
    await openConsole(theirs, 'mallory');
    await theirs.page.getByText('Plan pro').waitFor();
  });
});
