import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, canRun, jsonOf, startWorld, stored, type Visit, type World } from '../support/browser.ts';
import {
  askFor,
  between,
  call,
  clipboard,
  createKey,
  dialog,
  focused,
  goTo,
  inspect,
  isValid,
  keyRow,
  openConsole,
  openKey,
  said,
  showAllKeys,
  takeSecret,
} from './console-person.ts';

describe.skipIf(!canRun)('API keys in the console', () => {
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

  it('lists the keys, and says which is the default', async () => {
    const { page } = visit;
    await keyRow(page, 'Laptop').getByText('Default', { exact: true }).waitFor();
    await keyRow(page, 'Build server').waitFor();
    await keyRow(page, 'API key 3').waitFor();
  });

  it('creates a key, and hides its secret with the dialog', async () => {
    const { page } = visit;
    const secret = await createKey(page, 'Mail robot');
    expect(await isValid(world, secret)).toBe(true);
    expect(await page.content()).not.toContain(secret);
    expect(await stored(page)).not.toContain(secret);
    await keyRow(page, 'Mail robot').getByText('in 3 months').waitFor();
  });

  it('shows a command that uses the key', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'Create API key' }).click();
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByRole('button', { name: 'Copy command to test the key' }).click();
    await dialog(page).getByText('Copied.').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent`]);
    expect(stdout).toMatch(/^HTTP\/1.1 200 /);
    await dialog(page).getByRole('button', { name: 'I have stored it' }).click();
  });

  it('does not lose a secret by accident: only its button closes the dialog', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'Create API key' }).click();
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByLabel('Secret').waitFor();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    const question = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    const asked = await question;
    expect(asked.type()).toBe('beforeunload');
    await asked.dismiss();
    await takeSecret(page);
  });

  it('sends ids of documents that the service knows, and no documents', async () => {
    const { page } = visit;
    const asked: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) asked.push(jsonOf(request));
    });
    for (const view of ['Activity', 'Automation', 'Private key', 'API keys']) await goTo(page, view);
    await expect.poll(() => asked.length).toBeGreaterThanOrEqual(4);
    for (const body of asked)
      expect(body).toEqual({
        documentId: expect.stringMatching(/^sha256:[\da-f]{64}$/),
        variables: expect.any(Object),
      });
  });

  it('sends its documents to a service of another version', async () => {
    const { page } = visit;
    const creates: unknown[] = [];
    await page.route('**/graphql', async (route) => {
      const body: { documentId?: string; query?: string } = jsonOf(route.request());
      if (JSON.stringify(body).includes('Of another version')) creates.push(body);
      if (body.documentId === undefined) return route.continue();
      return route.continue({ postData: JSON.stringify({ ...body, documentId: 'sha256:other' }) });
    });
    await createKey(page, 'Of another version');
    await keyRow(page, 'Of another version').waitFor();
    expect(creates).toEqual([
      { documentId: expect.any(String), variables: expect.any(Object) },
      { query: expect.stringContaining('createApiKey'), variables: expect.any(Object) },
    ]);
    await page.unroute('**/graphql');
  });

  it('renames a key', async () => {
    const { page } = visit;
    await askFor(page, 'Build server', 'Rename…');
    await expect.poll(() => focused(page)).toBe('Name');
    await page.getByRole('textbox', { name: 'Name' }).fill('Builder');
    await page.getByRole('button', { name: 'Save name' }).click();
    await said(page, 'Name saved.');
    await page.getByRole('heading', { level: 1, name: 'Builder' }).waitFor();
  });

  it('makes a key the default', async () => {
    const { page } = visit;
    await openKey(page, 'Builder');
    await page.getByRole('button', { name: 'Make default' }).press('Enter');
    await said(page, 'Builder is now the default key.');
    await page.getByText('Programs that ask for your default key, without an ID, get this one.').waitFor();
    await goTo(page, 'API keys');
    await keyRow(page, 'Builder').getByText('Default', { exact: true }).waitFor();
    expect(await keyRow(page, 'Laptop').getByText('Default', { exact: true }).count()).toBe(0);
  });

  it('rotates a key: the old secret works for the chosen grace period, and can be ended before', async () => {
    const { page } = visit;
    const first = await createKey(page, 'Backup job');
    const rotate = async (grace: string) => {
      await askFor(page, 'Backup job', 'Rotate…');
      await dialog(page).getByLabel('The current secret keeps working for').selectOption({ label: grace });
      await dialog(page).getByRole('button', { name: 'Rotate' }).click();
      return takeSecret(page);
    };
    const second = await rotate('1 hour');
    expect([await isValid(world, first), await isValid(world, second)]).toEqual([true, true]);
    const secrets = page.getByRole('region', { name: 'Secrets' }).getByRole('listitem');
    await expect.poll(() => secrets.count()).toBe(2);
    await page.getByRole('button', { name: `End now… ${first.slice(0, 9)}` }).click();
    await dialog(page).getByRole('button', { name: 'End now' }).click();
    await expect.poll(() => secrets.count()).toBe(1);
    expect([await isValid(world, first), await isValid(world, second)]).toEqual([false, true]);
    const third = await rotate('0 seconds: it stops at once');
    expect([await isValid(world, second), await isValid(world, third)]).toEqual([false, true]);
  });

  it('deactivates a key after a confirmation', async () => {
    const { page } = visit;
    await askFor(page, 'Mail robot', 'Deactivate…');
    await dialog(page).getByRole('heading', { name: 'Deactivate Mail robot?' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Deactivate…' }).click();
    await dialog(page).getByRole('button', { name: 'Deactivate Mail robot' }).click();
    await said(page, 'Mail robot was deactivated.');
    await page.getByText('Inactive', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^(Deactivate|Rotate|Edit (?!name))/ }).count()).toBe(0);
    // What the address asked for is done.
    expect(new URL(page.url()).hash).toMatch(/^#keys\/\d+$/);
  });

  it('filters active, expired and inactive keys', async () => {
    const { page } = visit;
    await goTo(page, 'API keys');
    expect(await page.getByRole('radio', { name: /^Active \d/ }).isChecked()).toBe(true);
    await keyRow(page, 'Laptop').waitFor();
    expect(await keyRow(page, 'Mail robot').count()).toBe(0);
    await page.getByRole('radio', { name: 'Expired 0' }).check({ force: true });
    await page.getByText('No API keys match.').waitFor();
    await page.getByRole('radio', { name: 'Inactive 1' }).check({ force: true });
    await keyRow(page, 'Mail robot').waitFor();
    await keyRow(page, 'Laptop').waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: /^All/ }).check({ force: true });
    await keyRow(page, 'Laptop').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
  });

  it('shows how each key was used in 14 days, and which was refused', async () => {
    const { page } = visit;
    const days = Array.from({ length: 14 }, (_, day) => day);
    const busy = { allowed: days.map(() => 20_007), refused: days.map((day) => (day === 13 ? 5000 : 0)) };
    const refused = {
      allowed: days.map((day) => (day === 0 ? 3 : 0)),
      refused: days.map((day) => (day === 13 ? 1 : 0)),
    };
    await using _uses = await between(page, async (route) => {
      const response = await answerOf(route);
      const text = await response.text();
      const body = text.replaceAll(/"id":([12]),"dailyUse":\{.*?\}/g, (_, id) =>
        [`"id":${id}`, `"dailyUse":${JSON.stringify(id === '1' ? busy : refused)}`].join(),
      );
      await route.fulfill({ response, body });
    });
    await page.reload();
    await keyRow(page, 'Laptop').getByText('285.1K').waitFor();
    await keyRow(page, 'Laptop').getByText('2% refused').waitFor();
    await keyRow(page, 'Builder').getByText('25% refused').waitFor();
    await keyRow(page, 'Builder').getByText('All refused today').waitFor();
    await keyRow(page, 'API key 3').getByText('Not used').waitFor();
    await inspect(page, 'keys-used');
  });

  it('lists, counts, finds and sorts hundreds of keys', async () => {
    const { page } = visit;
    const names = Array.from({ length: 120 }, (_, number) => `Many ${number}`);
    for (const name of names) await call(world, 'alice', 'POST /auth/keys', { name });
    await goTo(page, 'Private key');
    await page.getByRole('heading', { level: 1, name: 'Private key' }).waitFor();
    await goTo(page, 'API keys');
    await showAllKeys(page);
    const items = page.getByRole('rowheader');
    const count = page.getByRole('search').getByRole('status');
    // The service answers a hundred at once.
    await expect.poll(() => items.count()).toBeGreaterThan(120);
    const total = await items.count();
    expect(await count.textContent()).toBe(`${total} keys`);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    const search = page.getByRole('searchbox', { name: 'Search API keys' });
    await search.fill('many 11');
    await expect.poll(() => count.textContent()).toBe(`11 of ${total} keys`);
    expect(await items.count()).toBe(11);
    const order = page.getByLabel('Order');
    await order.selectOption({ label: 'By name' });
    await expect.poll(() => items.first().getByRole('link').textContent()).toBe('Many 11');
    await search.fill('sk-');
    await order.selectOption({ label: 'Oldest first' });
    await expect.poll(() => items.first().getByRole('link').textContent()).toBe('Laptop');
    await search.fill('nothing like it');
    await page.getByText('No API keys match.').waitFor();
    await search.fill('');
  });

  it('shows 14 keys on a screen of 1440 × 900', async () => {
    await using other = await world.visit({ viewport: { width: 1440, height: 900 } });
    for (let number = 1; number <= 14; number += 1)
      await call(world, 'fourteen', 'POST /auth/keys', { name: `Key ${number}` });
    const page = await openConsole(other, 'fourteen');
    await keyRow(page, 'Key 1').getByText('Not used').waitFor();
    const last = await keyRow(page, 'Key 1').boundingBox();
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(900);
    expect(last?.height).toBe(48);
  });

  it('the search, the filter and the order are in the address, so Back restores them', async () => {
    const { page } = visit;
    const search = page.getByRole('searchbox', { name: 'Search API keys' });
    await search.fill('many 11');
    await page.getByLabel('Order').selectOption({ label: 'By name' });
    await expect.poll(() => new URL(page.url()).hash).toBe('#keys?state=all&order=name&find=many+11');
    await keyRow(page, 'Many 117').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Many 117' }).waitFor();
    await page.getByRole('radio', { name: '7 days' }).check({ force: true });
    expect(new URL(page.url()).hash).toMatch(/^#keys\/\d+\?range=7d$/);
    await page.goBack();
    expect(await search.inputValue()).toBe('many 11');
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(11);
    await page.reload();
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(11);
    await search.fill('');
  });

  it('warns of keys that expire within 14 days, and shows them first', async () => {
    const { page } = visit;
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    await call(world, 'alice', 'POST /auth/keys', { name: 'In 15 days', expires_at: inDays(15) });
    await call(world, 'alice', 'POST /auth/keys', { name: 'In 13 days', expires_at: inDays(13) });
    await goTo(page, 'Private key');
    await page.getByRole('heading', { level: 1, name: 'Private key' }).waitFor();
    await goTo(page, 'API keys');
    await page.getByText('In 13 days expires within 14 days.', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Extend…' }).click();
    await expect.poll(() => focused(page)).toBe('Expires');
    await page.getByRole('combobox', { name: 'Expires' }).selectOption('In 30 days');
    await page.getByRole('button', { name: 'Save expiry' }).click();
    await said(page, 'Expiry saved.');
    await goTo(page, 'API keys');
    await keyRow(page, 'In 13 days').waitFor();
    await expect.poll(() => page.getByText('within 14 days').count()).toBe(0);
    await call(world, 'alice', 'POST /auth/keys', { name: 'In 12 days', expires_at: inDays(12) });
    await call(world, 'alice', 'POST /auth/keys', { name: 'In 2 days', expires_at: inDays(2) });
    await goTo(page, 'Private key');
    await page.getByRole('heading', { level: 1, name: 'Private key' }).waitFor();
    await goTo(page, 'API keys');
    await page.getByText('2 keys expire within 14 days.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Show them first' }).click();
    const links = page.getByRole('rowheader').getByRole('link');
    const firstThree = async () => (await links.allTextContents()).slice(0, 3);
    await expect.poll(firstThree).toEqual(['In 2 days', 'In 12 days', 'In 15 days']);
  });
});
