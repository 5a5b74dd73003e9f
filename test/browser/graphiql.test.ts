import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  answerOf,
  canRun,
  findViolations,
  jsonOf,
  startWorld,
  stored,
  takePicture,
  type Visit,
  type World,
} from '../support/browser.ts';
import { root } from '../support/process.ts';
import { between } from './console-person.ts';

const schema = buildSchema(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));
const { paths } = JSON.parse(readFileSync(join(root, 'schema/openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
};
const ofOperators = new Set(
  Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/admin/'))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId)),
);
const titlesOf = (type: ReturnType<typeof schema.getQueryType>) =>
  Object.values(type?.getFields() ?? {})
    .filter(({ name, deprecationReason }) => !deprecationReason && !ofOperators.has(name))
    .map(({ name }) => name.charAt(0).toUpperCase() + name.slice(1));
const operations = [...titlesOf(schema.getQueryType()), ...titlesOf(schema.getMutationType())];

describe.skipIf(!canRun)('GraphiQL', () => {
  let world: World;
  let visit: Visit;
  beforeAll(async () => {
    world = await startWorld();
    visit = await world.visit();
    await visit.page.goto('graphql');
    await visit.page.locator('.graphiql-query-editor .view-line').last().waitFor();
  });
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  /** The lines that the editor of answers shows. */
  const answer = async () =>
    (await visit.page.locator('.result-window .view-line').allTextContents()).join('').replace(/\s/g, '');

  const run = () => visit.page.locator('.graphiql-execute-button').click();

  const first = ['ApiKeys', 'PrivateKeyStatus', 'AutomationSettings'];

  const tabs = () => visit.page.locator('.graphiql-tab-button').allTextContents();

  /** Opens an operation from the list, in a tab that is then shown. */
  const open = async (operation: string) => {
    const field = operation.charAt(0).toLowerCase() + operation.slice(1);
    if (!(await visit.page.locator('.operation-list').isVisible()))
      await visit.page.getByRole('button', { name: 'Show Operations' }).click();
    await visit.page.locator('.operation-list').getByRole('button', { name: field, exact: true }).click();
    await expect
      .poll(() => visit.page.locator('.graphiql-tab-active .graphiql-tab-button').textContent())
      .toBe(operation);
  };

  /** Closes the tab that is shown. */
  const close = () => visit.page.locator('.graphiql-tab-active .graphiql-tab-close').click();

  it('opens three tabs that anyone who has just signed in can run', async () => {
    expect(await tabs()).toEqual(first);
  });

  it('lists each operation with the scopes that it needs', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'Show Operations' }).click();
    const listed = await page.locator('.operation-list button').allTextContents();
    const fields = operations.map((name) => name.charAt(0).toLowerCase() + name.slice(1));
    expect(listed).toEqual(fields);
    const scopesOf = (field: string) =>
      page.locator('.operation-list li', { has: page.getByText(field, { exact: true }) }).locator('small');
    expect(await scopesOf('verifyApiKey').textContent()).toBe('keys.verify');
    expect(await scopesOf('auditEvents').textContent()).toBe('openid, email, profile, or keyward.admin');
    await takePicture(page, 'graphiql-operations');
    expect(await findViolations(page)).toEqual([]);
  });

  it('opens an operation in its own tab, with its scopes in a comment', async () => {
    const { page } = visit;
    await open('VerifyApiKey');
    expect(await tabs()).toEqual([...first, 'VerifyApiKey']);
    await page.locator('.graphiql-query-editor .view-line', { hasText: 'keys.verify' }).waitFor();
    await close();
    expect(await tabs()).toEqual(first);
    await page.getByRole('button', { name: 'Hide Operations' }).click();
  });

  it("shows a tab's variables, and starts over after a reload", async () => {
    const variables = (text: string) =>
      visit.page.locator('.graphiql-editor-tool .view-line', { hasText: text }).waitFor();
    // The first tab says that it lists all keys, and so it does.
    await variables('{}');
    await open('UpdateApiKey');
    await variables('"keyId": 1');
    await visit.page.reload();
    await variables('{}');
    expect(await tabs()).toEqual(first);
  });

  const overflow = () =>
    visit.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

  it.each([1280, 375])('shows every tab at %d pixels', async (width) => {
    await visit.page.setViewportSize({ width, height: 800 });
    for (const tab of await visit.page.locator('.graphiql-tab-button').all()) {
      const box = (await tab.boundingBox()) ?? { x: -1, width: 0 };
      expect(box.x).toBeGreaterThan(0);
      expect(box.x + box.width).toBeLessThan(width);
      // A tab that is cut off is there all the same: the button beside the tabs hides it.
      const add = await visit.page.locator('.graphiql-tab-add').boundingBox();
      expect(box.x + box.width).toBeLessThanOrEqual(add?.x ?? 0);
    }
    await visit.page.setViewportSize({ width: 1280, height: 800 });
    const box = await visit.page
      .locator('.graphiql-tabs')
      .evaluate((list) => list.scrollWidth - list.clientWidth);
    expect(box).toBe(0);
  });

  it('shows a response after two clicks on an empty page', async () => {
    await visit.signInBy(run);
    await expect.poll(answer, { timeout: 10_000 }).toContain('"isActive":true');
  });

  it('has no axe violations, in light and dark mode', async () => {
    await takePicture(visit.page, 'graphiql');
    expect(await findViolations(visit.page)).toEqual([]);
    await visit.page.emulateMedia({ colorScheme: 'dark' });
    await vi.waitFor(async () => expect(await findViolations(visit.page)).toEqual([]), 25_000);
    await takePicture(visit.page, 'graphiql-dark');
    await visit.page.emulateMedia({ colorScheme: 'light' });
  });

  it('can be used on a phone: the response is below the editors', async () => {
    const { page } = visit;
    await page.setViewportSize({ width: 375, height: 740 });
    await run();
    await expect.poll(answer, { timeout: 10_000 }).toContain('"isActive":true');
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return box ?? { x: 0, y: 0, width: 0, height: 0 };
    };
    const [editors, response] = [await boxOf('.graphiql-query-editor'), await boxOf('.graphiql-response')];
    expect(response.y).toBeGreaterThan(editors.y + editors.height);
    expect(Math.min(editors.width, response.width)).toBeGreaterThan(300);
    expect(await overflow()).toBe(0);
    await vi.waitFor(async () => expect(await findViolations(page)).toEqual([]), 25_000);
    await takePicture(page, 'graphiql-phone');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('signs in with more scopes', async () => {
    await visit.page.locator('.sign-in-toggle').click();
    for (const name of ['keys.verify', 'keys.import'])
      await visit.page.getByRole('checkbox', { name }).check();
    await visit.page.getByRole('button', { name: 'Sign in again with these scopes' }).click();
    // The menu closes when that is done.
    await visit.page.locator('.sign-in-menu').waitFor({ state: 'hidden' });
    await visit.page.locator('.sign-in-toggle').click();
    await visit.page.locator('.sign-in-menu', { hasText: 'keys.import.' }).waitFor();
    await takePicture(visit.page, 'graphiql-scopes');
    await visit.page.locator('.sign-in-toggle').click();
  });

  // A key that is deactivated can do no more.
  const last = 'DeactivateApiKey';
  it.each([...operations.filter((name) => name !== last), last])('runs %s', async (operation) => {
    await open(operation);
    const { promise: answered, resolve: keep } = Promise.withResolvers<{ data: object; errors?: unknown }>();
    // On its way to the page: of a body that the page has read, the debugger may keep nothing.
    await using _read = await between(visit.page, async (route) => {
      const response = await answerOf(route);
      keep(await response.json());
      await route.fulfill({ response });
    });
    await run();
    const body = await answered;
    await close();
    if (operation === 'RegisterPrivateKey') {
      // Its example is no private key, so that nobody registers one that everybody knows.
      expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
      return;
    }
    if (operation === 'EndApiKeySecret') {
      // Its example is no secret of this key.
      expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
      return;
    }
    expect(body).not.toHaveProperty('errors');
    const field = operation.charAt(0).toLowerCase() + operation.slice(1);
    expect(body.data).toHaveProperty(field);
  });

  it('shows the documentation and the history, and stores neither history nor token', async () => {
    await visit.page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await visit.page.locator('.graphiql-plugin', { hasText: 'Mutation' }).waitFor();
    expect(await findViolations(visit.page)).toEqual([]);
    await visit.page.getByRole('button', { name: 'Show History' }).click();
    await visit.page.locator('.graphiql-history-item', { hasText: 'DeactivateApiKey' }).waitFor();
    expect(await findViolations(visit.page)).toEqual([]);
    const kept = await stored(visit.page);
    expect(kept).not.toContain('DeactivateApiKey');
    expect(kept).not.toContain('eyJ');
    expect(kept).not.toMatch(/bearer/i);
  });

  it('stores nothing that was typed', async () => {
    const privateKey = 'fd1c2f9b60b5a7a5'.repeat(4);
    const { page } = visit;
    await open('RegisterPrivateKey');
    await page.locator('.graphiql-editor-tool .view-lines').first().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(JSON.stringify({ privateKey }));
    // The editor closes quotes and braces by itself.
    await page.keyboard.press('ControlOrMeta+Shift+End');
    await page.keyboard.press('Delete');
    const asked = page.waitForRequest(/\/graphql$/);
    await run();
    expect(jsonOf(await asked)).toMatchObject({ variables: { privateKey } });
    await expect.poll(answer, { timeout: 10_000 }).toContain('"hasKey":true');
    // GraphiQL writes what was typed half a second later.
    await page.waitForTimeout(1500);
    expect(await stored(page)).not.toContain(privateKey);
    // That somebody is signed in, and with which scopes; and the mark of their visit.
    expect(await page.evaluate(() => [localStorage.length, Object.keys(sessionStorage).sort()])).toEqual([
      0,
      ['signed-in-with', 'visit'].map(
        (name) => name + new URL(world.service.url).pathname.replace(/^\/$/, ''),
      ),
    ]);
    await page.reload();
    await page.locator('.graphiql-query-editor .view-line').last().waitFor();
    await open('RegisterPrivateKey');
    await page.locator('.graphiql-editor-tool .view-line', { hasText: 'privateKey' }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain(privateKey);
    expect(await stored(page)).not.toContain(privateKey);
  });

  it('sends requests only to the service, and logs no errors', () => {
    expect(visit.foreign()).toEqual([]);
    // The private key and the secret that are none: the browser notes each answer above 399.
    const noted = visit.complaints.toSorted();
    expect(noted).toEqual(
      ['404 (Not Found)', '422 (Unprocessable'].map((text) => expect.stringContaining(text)),
    );
  });
});
