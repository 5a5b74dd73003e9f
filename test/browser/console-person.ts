import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, vi } from 'vitest';
import type { Language } from '../../web/messages/language.ts';
import { findViolations, pictures, schemes, type Visit, type World } from '../support/browser.ts';
import { english } from '../support/languages.ts';

/** Signs in at the development provider as anybody. */
export async function signInAs({ context, page }: Visit, name: string) {
  const popup = context.waitForEvent('page');
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  const provider = await popup;
  await provider.getByLabel('Another name').fill(name);
  const closed = provider.waitForEvent('close');
  await provider.getByRole('button', { name: 'Continue', exact: true }).click();
  await closed;
}

/** Opens one of the console's views as somebody. */
export async function openConsole(visit: Visit, name: string, hash = ''): Promise<Page> {
  await visit.page.goto(`console${hash}`);
  await signInAs(visit, name);
  await visit.page.getByRole('navigation', { name: 'Console' }).waitFor();
  return visit.page;
}

/** Opens a view of operators, as somebody who signs in, and then as an operator. */
export async function signInAsOperator(visit: Visit, name: string, hash = '#operate') {
  const page = await openConsole(visit, name, hash);
  const become = page.getByRole('button', { name: 'Sign in as an operator' });
  // The provider knows them by now, and asks nothing.
  await become.click();
  await become.waitFor({ state: 'detached' });
  return page;
}

/** An API key in the list. */
export const keyRow = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader').getByRole('link', { name, exact: true }) });

/** Lists keys of all states. */
export async function showAllKeys(page: Page): Promise<void> {
  // The choices move while their counts grow.
  await page.getByRole('radio', { name: /^All/ }).focus();
  await page.keyboard.press('Space');
}

/** Opens the page of an API key from the list. */
export async function openKey(page: Page, name: string): Promise<void> {
  await goTo(page, 'API keys');
  await showAllKeys(page);
  await keyRow(page, name).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** Chooses from the menu of an API key in the list. */
export async function askFor(page: Page, name: string, action: string): Promise<void> {
  await goTo(page, 'API keys');
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('link', { name: action }).click();
}

/** Opens a part of the key whose page is shown. */
export const edit = (page: Page, part: string) =>
  page.getByRole('button', { name: `Edit ${part}`, exact: true }).click();

/** The dialog that is open. */
export const dialog = (page: Page) => page.getByRole('dialog');

/** Creates an API key and gives its secret, which is then on the page no more. */
export async function createKey(
  page: Page,
  name: string,
  { text }: Pick<Language, 'text'> = english,
): Promise<string> {
  await page.getByRole('button', { name: text('keys.create'), exact: true }).click();
  await dialog(page).getByLabel(text('keys.name')).fill(name);
  await dialog(page)
    .getByRole('button', { name: text('keys.create-submit'), exact: true })
    .click();
  return takeSecret(page, { text });
}

/** Reads the secret that is shown, by its copy button, and leaves the dialog. */
export async function takeSecret(page: Page, { text }: Pick<Language, 'text'> = english): Promise<string> {
  await dialog(page)
    .getByRole('button', { name: text('keys.copy'), exact: true })
    .click();
  await dialog(page).getByText(text('keys.copied')).waitFor();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  expect(secret).toMatch(/^sk-[a-z0-9]{6}\.[0-9a-f]{64}$/);
  expect(await dialog(page).getByLabel(text('keys.secret')).inputValue()).toBe(secret);
  await dialog(page)
    .getByRole('button', { name: text('keys.once-done') })
    .click();
  await dialog(page).waitFor({ state: 'detached' });
  return secret;
}

/** Presses Tab until something of that name has the focus, as a person without a mouse does. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page)) === name) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

/** What has the focus, by its text or label. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot) active = active.shadowRoot.activeElement;
    const element = active as HTMLInputElement | null;
    return (element?.labels?.[0]?.textContent ?? element?.textContent ?? '').trim();
  });

/** Puts something between the page and the API until it is disposed of. */
export async function between(page: Page, handle: (route: Route) => Promise<void>) {
  await page.route('**/graphql', handle);
  return { [Symbol.asyncDispose]: () => page.unroute('**/graphql', handle) };
}

/** Follows a link of the console. */
export const goTo = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: view, exact: true }).click();

/** Waits until the console says something of what was done. */
export const said = (page: Page, text: string) =>
  expect.poll(() => page.locator('.notice').textContent(), { timeout: 10_000 }).toContain(text);

/** Calls the REST API, as what happens elsewhere meanwhile. */
export async function call(
  { service }: World,
  subject: string,
  request: string,
  body: object = {},
  scope?: string,
) {
  const [method = '', path] = request.split(' ');
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await service.token(subject, scope)}`,
      'content-type': 'application/json',
    },
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return response.json();
}

/** The id of a person's key. */
export async function idOf(world: World, subject: string, name: string): Promise<number> {
  const keys: { id: number; name: string | null }[] = await call(world, subject, 'GET /auth/keys');
  return keys.find((key) => key.name === name)?.id ?? expect.fail(`${subject} has no key ${name}`);
}

/** Whether an API key lets its bearer in, as a provider's server asks. */
export const isValid = async (world: World, key: string): Promise<boolean> =>
  (await call(world, 'server', 'POST /keys/verify', { key }, 'keys.verify')).valid;

/** What a person may read from and write to. */
export const clipboard = ['clipboard-read', 'clipboard-write'];

/** On what the console is looked at. */
export const looks = [
  ['wide', { viewport: { width: 1280, height: 800 } }],
  ['phone', { viewport: { width: 375, height: 740 } }],
] as const;

/**
 * Sees that a state is well made: for a screen reader, on a narrow screen, and to look at in each scheme.
 * @param folder where its pictures go, among the artefacts
 * @param within the part of the page that a screen reader meets; all of it where it is left out
 */
export async function inspect(page: Page, name: string, folder = 'console', within = 'html'): Promise<void> {
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
  ).toBe(0);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    // What is drawn anew for another scheme, or fades, takes its time.
    await vi.waitFor(async () => expect(await findViolations(page, within)).toEqual([]), 25_000);
    await page.screenshot({ path: join(pictures, folder, `${name}-${colorScheme}.png`) });
  }
}
