import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { canRun, startWorld, type Visit, type World } from '../support/browser.ts';
import { between, inspect, looks } from './console-person.ts';

describe.skipIf(!canRun)('GraphiQL’s states', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  describe.each(looks)('%s', (look, options) => {
    let visit: Visit;
    let page: Page;
    beforeAll(async () => {
      visit = await world.visit({ ...options, reducedMotion: 'reduce' });
      page = visit.page;
      await page.goto('graphql');
      await page.locator('.graphiql-query-editor .view-line').last().waitFor();
    });
    afterAll(() => visit?.[Symbol.asyncDispose]());

    const see = (name: string) => inspect(page, `${name}-${look}`, 'graphiql');
    /** Sees something without scrolling to it. */
    const isInSight = async (selector: string) => {
      const { y = -1 } = (await page.locator(selector).first().boundingBox()) ?? {};
      return y > 0 && y < (page.viewportSize()?.height ?? 0);
    };
    const run = () => page.locator('.graphiql-execute-button').click();
    const answer = async () =>
      (await page.locator('.result-window .view-line').allTextContents()).join('').replace(/\s/g, '');
    const answers = (text: string) => expect.poll(answer, { timeout: 10_000 }).toContain(text);

    /** Shows a tab; for a moment after each change, GraphiQL loses what is done to it. */
    const show = (operation: string) =>
      vi.waitFor(
        async () => {
          const name = new RegExp(`^${operation}$`);
          await page.locator('.graphiql-tab-button', { hasText: name }).click();
          await page
            .locator('.graphiql-tab-active .graphiql-tab-button', { hasText: name })
            .waitFor({ timeout: 1_000 });
        },
        { timeout: 10_000, interval: 100 },
      );

    /** Opens an operation of the list in a new tab, and hides the list. */
    const open = async (field: string) => {
      await page.getByRole('button', { name: 'Show Operations' }).click();
      await page.locator('.operation-list').getByRole('button', { name: field, exact: true }).click();
      await page.getByRole('button', { name: 'Hide Operations' }).click();
    };
    const close = () => page.locator('.graphiql-tab-active .graphiql-tab-close').click();

    it('nothing requested yet', async () => {
      await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor();
      await see('closed');
    });

    it('the operations', async () => {
      await page.getByRole('button', { name: 'Scopes', exact: true }).click();
      await page.getByRole('group', { name: 'Scopes to request' }).waitFor();
      await see('scopes');
      await page.getByRole('button', { name: 'Scopes', exact: true }).click();
    });

    it('a response', async () => {
      await visit.signInBy(run);
      await answers('"isActive":true');
      await see('answer');
    });

    it('who is signed in', async () => {
      await page.getByRole('banner').getByRole('button', { name: 'alice' }).click();
      await page.getByText('Signed in as').waitFor();
      await see('signed-in');
      await page.getByRole('banner').getByRole('button', { name: 'alice' }).click();
    });

    it('all operations', async () => {
      await page.getByRole('button', { name: 'Show Operations' }).click();
      await page.locator('.operation-list').waitFor();
      expect(await isInSight('.operation-list')).toBe(true);
      await see('operations');
      await page.getByRole('button', { name: 'Hide Operations' }).click();
    });

    it('an operation with variables', async () => {
      await open('createApiKey');
      await page.locator('.graphiql-query-editor .view-line', { hasText: 'CreateApiKey' }).first().waitFor();
      await see('operation');
      await close();
    });

    it('an error', async () => {
      await open('registerPrivateKey');
      await page.locator('.graphiql-editor-tool .view-line', { hasText: 'privateKey' }).waitFor();
      await run();
      await answers('"BAD_USER_INPUT"');
      await see('error');
      await close();
    });

    it('a response that does not arrive', async () => {
      await show('PrivateKeyStatus');
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await using _slow = await between(page, (route) => released.then(() => route.continue()));
      await run();
      await page.locator('.graphiql-response .graphiql-spinner').waitFor();
      await see('waiting');
      release();
      await answers('"hasKey":');
    });

    it('an unreachable server', async () => {
      await using _away = await between(page, (route) => route.abort('connectionrefused'));
      await run();
      await answers('Keywardcannotbereached');
      await see('away');
    });

    it('an editor with the focus', async () => {
      await page.locator('.graphiql-query-editor .view-lines').click();
      await see('focus');
    });

    it('the documentation: the root, and a type', async () => {
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await page.locator('.graphiql-plugin', { hasText: 'Mutation' }).waitFor();
      expect(await isInSight('.graphiql-plugin')).toBe(true);
      await see('docs');
      await page.locator('.graphiql-plugin').getByRole('link', { name: 'Query', exact: true }).click();
      await page.locator('.graphiql-plugin', { hasText: 'apiKeys' }).waitFor();
      await see('docs-type');
      await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
    });

    it('the history', async () => {
      await page.getByRole('button', { name: 'Show History' }).click();
      await page.locator('.graphiql-history-item').first().waitFor();
      expect(await isInSight('.graphiql-history-item')).toBe(true);
      await see('history');
      await page.getByRole('button', { name: 'Hide History' }).click();
    });

    it('the shortcuts', async () => {
      await page.getByRole('button', { name: 'Open short keys dialog' }).click();
      await page.getByRole('dialog').waitFor();
      await see('short-keys');
      await page.keyboard.press('Escape');
    });

    it('the session is over', async () => {
      await using _refused = await between(page, (route) =>
        route.fulfill({
          status: 401,
          contentType: 'application/graphql-response+json',
          body: JSON.stringify({ errors: [{ message: 'Could not validate credentials' }] }),
        }),
      );
      await run();
      await page.getByText('Your sign-in has expired.').waitFor();
      await see('ended');
    });
  });
});
