import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, bodyOf, canRun, startWorld, stored, type World } from '../support/browser.ts';
import { clipboard, dialog, goTo, inspect, looks, said, signInAs } from './console-person.ts';

const minutes = (count: number) => count * 60_000;

describe.skipIf(!canRun)('a sign-in of an hour', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  /** Answers at the provider's token endpoint: to the sign-in, and then to renewals. */
  const answerTokens = (page: Page, answer: (route: Route, isRenewal: boolean) => Promise<void>) =>
    page.route('**/idp/token', (route) =>
      answer(route, bodyOf(route.request())?.includes('grant_type=refresh_token') ?? false),
    );

  /** A provider that returns no refresh token. */
  const withoutRefreshToken = async (route: Route) => {
    const response = await answerOf(route);
    const { refresh_token: _token, ...tokens } = await response.json();
    await route.fulfill({ response, json: tokens });
  };

  const visitAs = async (
    name: string,
    options: object,
    answer = (route: Route, _isRenewal: boolean) => route.continue(),
  ) => {
    const visit = await world.visit({ ...options, reducedMotion: 'reduce', permissions: clipboard });
    const { page } = visit;
    await page.clock.install();
    await answerTokens(page, answer);
    await page.goto('console#automation');
    await signInAs(visit, name);
    await page.getByRole('switch', { name: 'Automation' }).waitFor();
    return visit;
  };

  describe.each(looks)('%s', (look, options) => {
    it('is renewed before it ends, and stores no token', async () => {
      await using visit = await visitAs(`renewed-${look}`, options);
      const { page } = visit;
      const renewed = page.waitForResponse(/\/idp\/token$/);
      await page.getByLabel('Session length').fill('2 h');
      await page.clock.fastForward(minutes(56));
      const { access_token: token } = await (await renewed).json();
      await expect.poll(() => page.getByText('Your sign-in ends').count()).toBe(0);
      expect(await page.getByLabel('Session length').inputValue()).toBe('2 h');
      const asked = page.waitForRequest('**/graphql');
      await page.getByRole('button', { name: 'Save session length' }).click();
      expect((await asked).headers()['authorization']).toBe(`Bearer ${token}`);
      await said(page, 'Session length: 2 hours.');
      expect(await stored(page)).not.toMatch(/eyJ|refresh/);
      await page.locator('.sign-in-toggle').click();
      await page.getByText(`Signed in as renewed-${look}.`).waitFor();
    });

    it('cannot be renewed → says when it ends, and keeps what was typed', async () => {
      await using visit = await visitAs(`manual-${look}`, options, withoutRefreshToken);
      const { page } = visit;
      await page.getByLabel('Session length').fill('2 h');
      await page.clock.fastForward(minutes(54));
      expect(await page.getByText('Your sign-in ends').count()).toBe(0);
      await page.clock.fastForward(minutes(2));
      await page.getByText(/^Your sign-in ends at \d\d:\d\d and cannot be renewed/).waitFor();
      await inspect(page, `session-ending-${look}`);
      await page.clock.fastForward(minutes(5));
      await page.getByText('Your sign-in has expired. Sign in again to continue.').waitFor();
      await inspect(page, `session-expired-${look}`);
      // The page's time was turned forward; the provider's was not.
      await page.clock.setSystemTime(Date.now());
      await page.getByRole('alert').getByRole('button', { name: 'Sign in again' }).click();
      await page.getByText('Your sign-in has expired').first().waitFor({ state: 'detached' });
      expect(await page.getByLabel('Session length').inputValue()).toBe('2 h');
      await page.getByRole('button', { name: 'Save session length' }).click();
      await said(page, 'Session length: 2 hours.');
    });
  });

  it('the network fails for a moment → the next attempt renews it', async () => {
    let fails = 1;
    await using visit = await visitAs('flaky', {}, (route, isRenewal) =>
      isRenewal && fails-- > 0 ? route.abort() : route.continue(),
    );
    const { page } = visit;
    await page.clock.fastForward(minutes(56));
    await page.getByText(/^Your sign-in ends/).waitFor();
    await page.clock.fastForward(minutes(1));
    await page.getByText(/^Your sign-in ends/).waitFor({ state: 'detached' });
  });

  it('the provider refuses the renewal → says so', async () => {
    await using visit = await visitAs('refused', {}, (route, isRenewal) =>
      isRenewal ? route.fulfill({ status: 400, json: { error: 'invalid_grant' } }) : route.continue(),
    );
    await visit.page.clock.fastForward(minutes(56));
    await visit.page.getByText(/^Your sign-in ends/).waitFor();
  });

  it('the server no longer accepts the token → the same request is sent with a new one', async () => {
    await using visit = await visitAs('sleeper', {});
    const { page } = visit;
    const tokens: (string | undefined)[] = [];
    await page.route('**/graphql', async (route) => {
      tokens.push(route.request().headers()['authorization']);
      if (tokens.length > 1) return route.continue();
      await route.fulfill({ status: 401, json: { errors: [{ message: 'Unauthenticated' }] } });
    });
    await page.getByRole('switch', { name: 'Automation' }).click();
    await said(page, 'Automation: on.');
    expect(new Set(tokens).size).toBe(2);
    expect(await page.getByText('Your sign-in has expired').count()).toBe(0);
  });

  it('Back asks before what was typed is lost, and so does a link', async () => {
    await using visit = await visitAs('typist', {});
    const { page } = visit;
    const questions: string[] = [];
    let leaves = false;
    page.on('dialog', (question) => {
      questions.push(question.message());
      return leaves ? question.accept() : question.dismiss();
    });
    await goTo(page, 'API keys');
    await goTo(page, 'Automation');
    await page.getByLabel('Session length').fill('2 h');
    await page.goBack();
    await expect.poll(() => questions).toEqual(['Discard the changes that are not saved?']);
    await expect.poll(() => new URL(page.url()).hash).toBe('#automation');
    await goTo(page, 'Activity');
    await expect.poll(() => questions).toHaveLength(2);
    expect(await page.getByLabel('Session length').inputValue()).toBe('2 h');
    leaves = true;
    await goTo(page, 'Activity');
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    leaves = false;

    await goTo(page, 'API keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await dialog(page).getByLabel('Name').fill('Typed');
    questions.length = 0;
    await page.goBack();
    await expect.poll(() => questions).toHaveLength(1);
    expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Typed');
  });
});
