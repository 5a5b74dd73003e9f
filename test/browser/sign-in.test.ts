import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  answerOf,
  canRun,
  findViolations,
  startWorld,
  stored,
  type Visit,
  type World,
} from '../support/browser.ts';
import { useReference } from './reference-person.ts';

/** The address of a page, without what it shows. */
const pageOf = (url: string): string => url.replace(/[?#].*/, '');

describe.skipIf(!canRun)('signing in from a page', () => {
  let world: World;
  let visit: Visit;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    visit = await world.visit();
    await visit.page.goto('api/v1/docs');
  });
  afterEach(() => visit?.[Symbol.asyncDispose]());

  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const menu = () => visit.page.locator('.sign-in-toggle');
  const signIn = (name?: string) => visit.signInBy(() => button('Sign in').click(), name);

  /** Tries the status of the private key out; what comes back is the status of the answer. */
  const tryStatus = async () => {
    const { formOf, open, send } = useReference(() => visit.page);
    if (!(await formOf('privateKeyStatus').isVisible())) await open('privateKeyStatus');
    const answered = visit.page.waitForResponse(/\/auth\/private-key$/);
    await send('privateKeyStatus');
    return (await answered).status();
  };

  it('says who is signed in, and keeps the token only in memory', async () => {
    const answered = visit.page.waitForResponse(/\/idp\/token$/);
    await signIn();
    const { access_token: token } = (await (await answered).json()) as { access_token: string };
    await expect.poll(() => menu().textContent()).toBe('alice');
    expect(await tryStatus()).toBe(200);
    expect(await visit.context.cookies(`${world.service.url}/api/v1`)).toEqual([]);
    const kept = await stored(visit.page);
    for (const part of token.split('.')) expect(kept).not.toContain(part);
  });

  it('survives a reload and a switch between the pages, without storing the token', async () => {
    const { page } = visit;
    await menu().click();
    await page.getByRole('checkbox', { name: 'keys.verify' }).check();
    await visit.signInBy(() => button('Sign in with these scopes').click());
    await expect.poll(() => menu().textContent()).toBe('alice');
    const isSignedIn = async () => {
      await page.getByRole('button', { name: 'alice' }).waitFor();
      const kept = await stored(page);
      expect(kept).not.toMatch(/eyJ|code=|verifier/);
    };
    await page.reload();
    await isSignedIn();
    expect(pageOf(page.url())).toBe(`${world.service.url}/api/v1/docs`);
    await page.getByRole('link', { name: 'Console' }).click();
    await isSignedIn();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.reload();
    await isSignedIn();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await page.getByRole('link', { name: 'GraphiQL' }).click();
    await isSignedIn();
    // With the scopes that were asked for.
    await menu().click();
    await page.locator('.sign-in-menu', { hasText: 'keys.verify.' }).waitFor();
    // Going back leads to the page before, and to none of the provider's.
    await page.goBack();
    await isSignedIn();
    expect(pageOf(page.url())).toBe(`${world.service.url}/console`);
  });

  it("ends if the provider's session is over: it asks the provider once, then the person", async () => {
    const { page } = visit;
    await signIn();
    await expect.poll(() => menu().textContent()).toBe('alice');
    await visit.context.clearCookies();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/idp/auth')) asked.push(request.url());
    });
    await page.reload();
    await button('Sign in').waitFor();
    expect(asked.filter((url) => url.includes('prompt=none'))).toHaveLength(1);
    await page.reload();
    await button('Sign in').waitFor();
    expect(asked).toHaveLength(1);
    expect(pageOf(page.url())).toBe(`${world.service.url}/api/v1/docs`);
  });

  it('does not restart after signing out, or on a first visit', async () => {
    const { page } = visit;
    await signIn();
    await expect.poll(() => menu().textContent()).toBe('alice');
    await menu().click();
    await button('Sign out').click();
    await page.reload();
    await button('Sign in').waitFor();
    const other = await visit.context.newPage();
    await other.goto('console');
    await other.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor();
  });

  it('requests the chosen scopes: with fewer, an operation returns 403', async () => {
    await menu().click();
    await visit.page.getByRole('checkbox', { name: 'profile' }).uncheck();
    expect(await findViolations(visit.page)).toEqual([]);
    await visit.signInBy(() => button('Sign in with these scopes').click());
    expect(await tryStatus()).toBe(403);
    await visit.page.locator('.result', { hasText: 'lacks the scope: profile' }).waitFor();
    await menu().click();
    await visit.page.getByRole('checkbox', { name: 'profile' }).check();
    // The provider knows who it is: its window opens and closes by itself.
    await button('Sign in again with these scopes').click();
    await visit.page.locator('.sign-in-menu').waitFor({ state: 'hidden' });
    await menu().click();
    await visit.page.locator('.sign-in-menu', { hasText: 'email, profile, idp' }).waitFor();
    await menu().click();
    expect(await tryStatus()).toBe(200);
  });

  it('signs out, and asks again who the person is', async () => {
    await signIn();
    await menu().click();
    await button('Sign out').click();
    await signIn('bob');
    await expect.poll(() => menu().textContent()).toBe('bob');
  });

  it('lets a person who closes the window continue without a token', async () => {
    const opened = visit.context.waitForEvent('page');
    const status = tryStatus();
    const provider = await opened;
    await provider.getByRole('button', { name: 'Continue as alice' }).waitFor();
    await provider.close();
    expect(await status).toBe(401);
  });

  it('accepts a pasted token, and says if it is not one', async () => {
    const field = visit.page.getByLabel('Access token', { exact: true });
    await menu().click();
    await visit.page.getByText('Paste an access token').click();
    await field.fill('sk-a1b2c3');
    await button('Use token').click();
    expect(await visit.page.getByRole('alert').textContent()).toContain('not an access token');
    await field.fill(await world.service.token('bob', 'openid email profile'));
    await button('Use token').click();
    expect(await field.inputValue()).toBe('');
    await visit.page.locator('.sign-in-menu').waitFor({ state: 'hidden' });
    await menu().click();
    await visit.page.locator('.sign-in-menu', { hasText: 'Signed in as bob until' }).waitFor();
    expect(await stored(visit.page)).not.toContain('eyJ');
  });

  it('says that the session is over if its token is refused', async () => {
    await signIn();
    await visit.page.route(/\/auth\/private-key$/, (route) => route.fulfill({ status: 401, json: {} }));
    await tryStatus();
    await visit.page.getByRole('status').filter({ hasText: 'Your sign-in has expired.' }).waitFor();
    await button('Sign in').waitFor();
  });

  it("requests a provider's name for several scopes once", async () => {
    await visit.page.route('**/api/v1/docs', async (route) => {
      const response = await answerOf(route);
      const text = await response.text();
      const body = text.replaceAll(/"requestedAs":\[.*?\]/g, '"requestedAs":["openid"]');
      await route.fulfill({ response, body });
    });
    await visit.page.reload();
    const asked = visit.context.waitForEvent('request', (request) => request.url().includes('scope='));
    await signIn();
    expect(new URL((await asked).url()).searchParams.get('scope')).toBe('openid');
  });

  it('follows the content security policy of each page', async () => {
    await signIn();
    expect(visit.foreign()).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});

describe.skipIf(!canRun)('pages without a client at the identity provider', () => {
  it('accept a pasted token', async () => {
    await using world = await startWorld();
    await using visit = await world.visit();
    // What the server writes where AUTH_BROWSER_CLIENT_ID is not set.
    await visit.page.route('**/api/v1/docs', async (route) => {
      const response = await answerOf(route);
      const body = (await response.text()).replace(/,"signIn":\{.*?\}(?=\})/, '');
      await route.fulfill({ response, body });
    });
    await visit.page.goto('api/v1/docs');
    await visit.page.getByRole('button', { name: 'Access token', exact: true }).click();
    expect(await visit.page.getByLabel('Access token', { exact: true }).isVisible()).toBe(true);
    expect(await visit.page.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
    await visit.page.locator('.operation').first().waitFor();
    expect(await findViolations(visit.page)).toEqual([]);
  });
});
