import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type World } from '../support/browser.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { dialog, inspect, looks, openConsole, said, signInAsOperator } from './console-person.ts';

const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30">
  <rect width="90" height="30" rx="6" fill="#7c3aed"/>
  <script>document.documentElement.remove()</script>
</svg>`;

describe.skipIf(!canRun)("the provider's look", () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  let world: World;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    writeFileSync(join(folder.path, 'logo.svg'), logo);
    world = await startWorld({
      ADMIN: 'on',
      PROVIDER_NAME: 'Example & <Sons>',
      PROVIDER_SENTENCE: 'Manage the API keys of your account.',
      PROVIDER_LOGO: join(folder.path, 'logo.svg'),
      PROVIDER_COLOR: '#FFD400',
      PROVIDER_LINKS: 'terms=https://example.com/terms?a=<b>&c,support=mailto:help@example.com',
    });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  it.each(looks)('%s: is on the console, before and after the sign-in', async (look, options) => {
    await using visit = await world.visit({ ...options, reducedMotion: 'reduce' });
    const { page } = visit;
    await page.goto('console');
    await page.getByRole('heading', { name: 'Your keys for Example & <Sons>' }).waitFor();
    await page.getByText('Manage the API keys of your account.').waitFor();
    expect(await page.title()).toBe('Console · Example & <Sons>');
    const links = page.getByRole('contentinfo').getByRole('link');
    expect(await links.allTextContents()).toEqual(['Support', 'Terms']);
    expect(await links.nth(1).getAttribute('href')).toBe('https://example.com/terms?a=%3Cb%3E&c');
    // At the bottom of the window, although the page is short.
    const foot = await page.getByRole('contentinfo').boundingBox();
    expect((foot?.y ?? 0) + (foot?.height ?? 0)).toBeCloseTo(page.viewportSize()?.height ?? 0, 0);
    await inspect(page, `provider-${look}`);
    await openConsole(visit, `provider-${look}`);
    const image = page.getByRole('banner').getByRole('img', { name: 'Example & <Sons>' });
    expect(
      await image.evaluate((element: HTMLImageElement) => [
        element.naturalWidth,
        element.clientWidth,
        element.clientHeight,
      ]),
    ).toEqual([90, 84, 28]);
    expect(await page.title()).toBe('API keys · Example & <Sons>');
    expect(await page.getByRole('banner').getByText('Keyward').count()).toBe(0);
    await inspect(page, `provider-signed-in-${look}`);
  });

  it.each(['graphql', 'api/v1/docs'])('is at the top of %s', async (path) => {
    await using visit = await world.visit();
    await visit.page.goto(path);
    await visit.page.getByRole('banner').getByRole('img', { name: 'Example & <Sons>' }).waitFor();
    const accent = () =>
      visit.page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'));
    // Yellow is too light to be read on white.
    expect(await accent()).toMatch(/^light-dark\(#[4-8][0-9a-f]{5}, #ffd400\)$/);
  });

  it('a logo that is opened by itself runs no script', async () => {
    await using visit = await world.visit();
    await visit.page.goto('console');
    const source = await visit.page.getByRole('banner').getByRole('img').getAttribute('src');
    const response = await visit.page.goto(source ?? '');
    expect(response?.headers()).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy':
        "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox",
    });
    expect(await visit.page.evaluate(() => document.documentElement?.tagName)).toBe('svg');
  });

  it('somebody whom an operator has blocked is led to the support', async () => {
    await using visit = await world.visit();
    const page = await openConsole(visit, 'mallory');
    await page.getByRole('button', { name: 'Create your first API key' }).click();
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByRole('button', { name: 'I have stored it' }).click();
    await using other = await world.visit();
    const operate = await signInAsOperator(other, 'olivia');
    await operate.getByRole('link', { name: 'mallory' }).click();
    await operate.getByRole('button', { name: 'Block', exact: true }).click();
    await dialog(operate).getByLabel('Reason').fill('Ticket 42');
    await dialog(operate).getByRole('button', { name: 'Block' }).click();
    await said(operate, 'mallory was blocked.');
    await page.reload();
    await page.getByRole('alert').getByText('This account is blocked.').waitFor();
    expect(
      await page.getByRole('alert').getByRole('link', { name: 'Contact support' }).getAttribute('href'),
    ).toBe('mailto:help@example.com');
    expect(await page.getByRole('button', { name: 'Sign in with the required scopes' }).count()).toBe(0);
  });
});
